"""Speed and success, measured; nothing here runs in the tests."""
