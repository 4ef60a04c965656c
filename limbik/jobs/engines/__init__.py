"""The processes that do clips.

``worker`` is a process that does one clip after another, ``slot`` starts and watches one; ``local``
has some on this machine, ``cluster`` has one for each thread of each worker of Dask.  So clips are
done alike whichever engine runs, and one that kills its process costs only itself.
"""
