"""Solids that stand for bodies and obstacles, as records and as buffers for kernels.

It imports ``maths``.
"""
