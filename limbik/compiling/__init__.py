"""How kernels are compiled and kept: parts of other kernels, the cache on disk, other processes."""
