"""Compile the kernels that no other process has claimed: ``compile_kernels.py FOLDER``."""

import sys
import time
from pathlib import Path

import limbik
from limbik.jit import ExternalKernel
from limbik.solver import restarts

claims = Path(sys.argv[1])
PATIENCE = 300  # seconds for what another process has claimed


def claimed(name: str) -> bool:
    """Whether this process is the first to claim it."""
    try:
        (claims / name).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


# First what all methods call, so that no two processes compile it.
modules = [module for name, module in sorted(sys.modules.items()) if name.startswith("limbik.")]
shared = {
    value.symbol: value
    for module in modules
    for value in vars(module).values()
    if isinstance(value, ExternalKernel)
}
for symbol, one in shared.items():
    if claimed(symbol):
        one.load()
        (claims / f"{symbol} is compiled").touch()
end = time.monotonic() + PATIENCE
while time.monotonic() < end and not all((claims / f"{s} is compiled").exists() for s in shared):
    time.sleep(0.05)

# What takes longest comes first, so that the processes end at about the same time.
first = ["projected_lm", "fabrik", "gauss_seidel", "lagrange", "baillieul", "zhao_badler"]
for name in sorted(limbik.methods, key=lambda name: name not in first):
    if claimed(name):
        kernel = limbik.methods[name].kernel
        restarts.compiled(restarts.one, kernel)
        restarts.compiled(restarts.batch, kernel)
