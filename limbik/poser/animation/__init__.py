"""The pose of the timeline at any frame: curves through keys, in-betweens, edits of a clip."""
