"""Steps in time: one solve a tick, inside limits of speed and acceleration."""
