"""The figure: joints and their limits, the tree they make, its pose, its motion and its mesh.

It imports ``maths``, ``jit`` and ``errors``.  ``limbik.figure.figure.Figure`` is the class itself.
"""
