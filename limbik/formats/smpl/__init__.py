"""Motions of the SMPL family of body models (AMASS), and their skeletons; nothing is unpickled."""
