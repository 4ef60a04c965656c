"""What a person makes, as plain data that is never changed, its history, and how it is written."""
