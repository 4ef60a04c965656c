"""Avoid's inside: which shapes are tested, their rows, and the second derivatives of these.

It imports what is below goals, and of goals only what every goal is made of.
"""
