"""Goals whose residuals a user writes, as Numba functions or as Python functions."""
