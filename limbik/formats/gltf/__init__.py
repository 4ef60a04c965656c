"""glTF 2.0, GLB, VRM and VRM animations: read into figures, motions and meshes, and written."""
