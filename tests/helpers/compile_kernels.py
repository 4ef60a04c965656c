"""Compile the kernels of all methods into the cache on disk, in two processes.

The second is given a folder, in which each of them claims what it is about to compile.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import limbik
from limbik.compiling.kernel_cache import missing_externals
from limbik.jit import ExternalKernel
from limbik.methods.base import KERNEL
from limbik.solver import frames
from limbik.solver.compiled_frames import compiled

PATIENCE = 300  # seconds for what another process has claimed
LONGEST = {
    *("zhao_badler", "gauss_seidel", "fabrik", "baillieul"),
    *("null_space", "lagrange", "semismooth_newton"),
}
"""Methods that take longest to compile: they come first, so that both processes end together.
``ccd`` does not, which calls much of what is compiled for ``fabrik``."""


def compile_all() -> None:
    """Compile what is not on disk, together with a second process."""
    if not missing_tasks():
        return
    with tempfile.TemporaryDirectory() as claims:
        second = subprocess.Popen([sys.executable, __file__, claims])
        compile_unclaimed(Path(claims))
        second.wait()


def compile_unclaimed(claims: Path) -> None:
    """Compile each kernel that no other process has claimed in this folder.

    One whose callees another process is still compiling waits, so that none is compiled twice.
    """
    tasks = missing_tasks()
    end = time.monotonic() + PATIENCE
    while tasks:
        late = time.monotonic() > end
        ready = (name for name, task in tasks.items() if late or not missing_externals(task.calls))
        name = next(ready, None)
        if name is None:
            time.sleep(0.1)
            continue
        task = tasks.pop(name)
        try:
            (claims / name).touch(exist_ok=False)
        except FileExistsError:  # another process does it
            continue
        task.compile()


class Task(NamedTuple):
    """A kernel to compile: what is compiled with it, and how it is done."""

    calls: list[Any]
    compile: Callable[[], Any]


def missing_tasks() -> dict[str, Task]:
    """What is not on disk: first what all methods call, then the methods that take longest."""

    def missing(function: Any, signature: Any) -> bool:
        return not function._cache.has(signature, function.targetctx)

    tasks = {
        value.symbol: Task([value.kernel], value.load)
        for name, module in sorted(sys.modules.items())
        if name.startswith("limbik.")
        for value in vars(module).values()
        if isinstance(value, ExternalKernel) and missing(value.kernel, value.signature)
    }
    external = {id(kernel) for task in tasks.values() for kernel in task.calls}
    both = [frames.one, frames.batch]
    needed = any(missing(frame, frames.SIGNATURES[frame.__name__]) for frame in both)
    for name in sorted(limbik.methods, key=lambda name: name not in LONGEST):
        kernel = limbik.methods[name].kernel
        if id(kernel) not in external and (needed or missing(kernel, KERNEL.signature)):
            tasks[name] = Task([kernel, *both], partial(compile_method, kernel))
    if tasks:
        default = limbik.methods["projected_lm"].kernel
        tasks |= {use.__name__: Task([default, *both], use) for use in USES}
    return tasks


def levels() -> None:
    limbik.solve(HUMAN, [HAND, limbik.Balance([FEET[0]]), limbik.Rest(priority=1)], budget=2)


def collisions() -> None:
    limbik.solve(HUMAN, [HAND, limbik.Avoid(), *map(limbik.Pin, FEET)], budget=20)


def ticks() -> None:
    limbik.Live(HUMAN, [HAND], rate=100).step()


def whole_clips() -> None:
    limbik.retarget(limbik.figures.cartwheel()[:4], onto=HUMAN)


HUMAN, FEET = limbik.figures.human(), ("LeftFoot", "RightFoot")
HAND = limbik.Reach("LeftHand", position=[0.1, 1.0, 0.1])
USES = (levels, collisions, ticks, whole_clips)
"""What several tests do first: two of them would compile the same kernels at once."""


def compile_method(kernel: Any) -> None:
    for frame in (frames.one, frames.batch):
        compiled(frame, kernel)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        compile_unclaimed(Path(sys.argv[1]))
    else:
        compile_all()
