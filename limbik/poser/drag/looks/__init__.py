"""Looks: where a head and eyes turn while the body is dragged."""
