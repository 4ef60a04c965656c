"""What a figure is made of beyond its joints: masses, shapes, speed and effort limits, loops.

``properties`` are the records, ``physical_figure`` what a figure says of them.
"""
