"""The papers' experiments, run again: one module a paper, one report of what holds and what not."""
