"""A session: commands and gestures change its document, and what they need at hand for that."""
