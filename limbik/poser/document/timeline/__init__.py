"""The timeline of a document: its keys and their easing, poses without a key, spans of contact."""
