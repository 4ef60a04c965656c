"""The server: listening, guarding, the sessions that are open, their clients and their files."""
