"""People among figures: which bone is which, and how far a body bends."""

from limbik.humanoid.limits import limits
from limbik.humanoid.natural import limited, unlimited
from limbik.humanoid.recognise import Body, recognise

__all__ = ["Body", "limited", "limits", "recognise", "unlimited"]
