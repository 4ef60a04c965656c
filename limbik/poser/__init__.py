"""The poser: pose and animate a figure in the browser; Python holds the truth and solves."""
