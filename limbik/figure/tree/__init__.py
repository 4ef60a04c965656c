"""The tree of joints: in order, with its limits, and as flat arrays."""
