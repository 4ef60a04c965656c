"""Rows of goals, their Jacobians and their second derivatives, compiled, on flat buffers.

``rows`` are the six kinds that every method knows; ``functions`` calls any other by its address.
"""
