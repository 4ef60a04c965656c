"""Methods that go by the gradient: projected gradient, Jacobian transpose, quasi-Newton, a hybrid.

They import ``default`` and ``least_squares``.
"""
