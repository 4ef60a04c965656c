"""A coverage-guided fuzzer for every loader: a file gives a figure or a motion, or a FormatError.

``python -m fuzz bvh --seconds 60`` runs one loader, ``make fuzz`` all of them.
"""
