"""Markers of optical motion capture: a figure is calibrated to them and follows."""
