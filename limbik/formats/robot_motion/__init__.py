"""Motions of robots as simulators and controllers keep them: a root pose and joint values."""
