"""A whole clip at once: all frames together, smooth, inside limits and speed limits."""
