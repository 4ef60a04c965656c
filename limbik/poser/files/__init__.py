"""What is opened and saved: figures, clips, poses, replays, and the document to begin with."""
