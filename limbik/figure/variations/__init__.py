"""Figures made from a figure: balls with other coordinates, a tool or a base that moves."""
