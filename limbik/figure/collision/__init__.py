"""Solids that stand for bodies and obstacles, and which of them are tested against each other.

It imports ``maths``; ``collision_pairs`` also knows the figure.
"""
