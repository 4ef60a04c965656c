"""A clip of one body on another: bones by role, proportions, contacts."""
