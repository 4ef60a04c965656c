"""What methods are put together from: their arrays, linear systems, steps and searches."""
