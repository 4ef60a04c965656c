"""Compile every so-many-th method: ``compile_kernels.py part parts``."""

import sys

import limbik
from limbik.solver import restarts

part, parts = map(int, sys.argv[1:])
for name in list(limbik.methods)[part::parts]:
    kernel = limbik.methods[name].kernel
    restarts.compiled(restarts.one, kernel)
    restarts.compiled(restarts.batch, kernel)
