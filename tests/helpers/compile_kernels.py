"""Compile the methods that no other process has claimed: ``compile_kernels.py FOLDER``."""

import sys
from pathlib import Path

import limbik
from limbik.solver import restarts

claims = Path(sys.argv[1])
# What takes longest comes first, so that two processes end at about the same time.
first = ["projected_lm", "fabrik", "gauss_seidel", "lagrange", "baillieul", "zhao_badler"]
for name in sorted(limbik.methods, key=lambda name: name not in first):
    try:
        (claims / name).touch(exist_ok=False)
    except FileExistsError:
        continue
    kernel = limbik.methods[name].kernel
    restarts.compiled(restarts.one, kernel)
    restarts.compiled(restarts.batch, kernel)
