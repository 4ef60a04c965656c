"""The default method, projected Levenberg–Marquardt, and the damped step inside limits.

It imports ``base``, what is below the methods, and no other method.
"""
