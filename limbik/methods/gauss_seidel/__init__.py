"""Projected Gauss–Seidel (Kenwright): its sweeps, their schedule, and its three Jacobians.

It imports ``base``, ``workspace`` and what is below the methods.
"""
