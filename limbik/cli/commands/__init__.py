"""The commands, one file each: they read arguments, call the library and print."""
