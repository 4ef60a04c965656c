"""What all tests share: how hypothesis searches."""

from hypothesis import settings

# The first call of a kernel compiles it, which no deadline should punish.
settings.register_profile("limbik", deadline=None, print_blob=True)
settings.register_profile("thorough", parent=settings.get_profile("limbik"), max_examples=2000)
settings.load_profile("limbik")
