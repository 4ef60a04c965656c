"""What is opened and what is saved: figures, clips, poses, replays, and the document to begin with."""
