"""What a figure looks like: meshes, capsules where it has none, pictures."""
