"""A drag: effectors as goals, a method made ready, and answers fast enough to follow a hand."""
