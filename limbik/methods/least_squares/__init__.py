"""Gauss–Newton without a look at the limits: pseudo-inverse, SVD, damped systems, Broyden.

They import ``base``, ``workspace`` and what is below the methods.
"""
