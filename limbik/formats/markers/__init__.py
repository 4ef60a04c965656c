"""Marker positions of optical motion capture: what they are, and the files that hold them."""
