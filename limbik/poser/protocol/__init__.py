"""What page and server say to each other: messages, the state of the page, meshes, commands."""
