"""BVH files: the skeleton and its frames, read into figures and motions, and written."""
