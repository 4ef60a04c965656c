"""Methods for what the goals leave free: null space, secondary criteria, extended Jacobians.

They import ``least_squares``.
"""
