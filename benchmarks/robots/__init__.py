"""Robots: speeds, collisions, balance, loops and following in real time."""
