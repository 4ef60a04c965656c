"""The chapters of the report on line_search: one experiment or claim of the paper a file.

Each has ``chapter(order, ...)``; what they share (who takes part, on which clip, how it is drawn)
is in the folder above.
"""
