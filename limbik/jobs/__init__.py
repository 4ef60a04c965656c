"""Clips by the thousand: one job done with every clip of a folder, on one machine or a cluster.

``job`` and ``job_file`` say what to do, ``steps`` does it with a clip in memory, ``clip`` with a
clip on disk, ``sidecar`` is the record beside each output, ``plan`` finds what is left to do,
``engines`` are the processes that do it, ``run`` puts these together, ``index`` and ``summary`` say
what came of it.
"""
