"""Rotations and small linear algebra: mathematics that knows of no joint and no figure.

It imports ``jit`` and ``errors`` alone.
"""
