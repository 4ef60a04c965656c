"""Methods that go joint by joint along chains: cyclic coordinate descent and FABRIK.

They import ``base``, ``workspace`` and what is below the methods.
"""
