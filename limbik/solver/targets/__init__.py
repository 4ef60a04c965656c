"""Targets that move: where they stand in a problem's numbers, and tables of them."""
