"""Methods of constrained optimisation: trust region, active sets, multipliers, penalties.

They import ``default`` and ``gradient``.
"""
