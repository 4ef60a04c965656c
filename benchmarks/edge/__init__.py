"""Targets beyond reach and at the corners of limits."""
