"""One loader under the fuzzer: ``python -m fuzz.target bvh CORPUS -max_total_time=10``.

A file instead of a corpus is tried once, which is how a finding is looked at again.  Everything
after the loader's name goes to libFuzzer.
"""

from __future__ import annotations

import importlib
import pkgutil
import random
import resource
import sys
import tempfile
from pathlib import Path

import atheris

PROJECT = Path(__file__).resolve().parents[1]


def _others() -> list[str]:
    """All modules but limbik.formats: Numba cannot compile a function that counts its branches."""
    files = [file.relative_to(PROJECT).with_suffix("") for file in PROJECT.glob("limbik/**/*.py")]
    names = [".".join(file.parts).removesuffix(".__init__") for file in files]
    return [name for name in names if not name.startswith("limbik.formats")]


with atheris.instrument_imports(include=["limbik"], exclude=_others()):
    import limbik.formats

    for module in pkgutil.walk_packages(limbik.formats.__path__, "limbik.formats."):
        importlib.import_module(module.name)

from fuzz.check import Reader, beside_companions, check  # noqa: E402
from fuzz.mutations import mutator  # noqa: E402
from fuzz.seeds import real, seeds  # noqa: E402

SECONDS = 5
"""An input that takes longer is a finding."""
VIRTUAL = 2_000_000_000
"""Address space beyond what the process has at the start; more is a MemoryError."""


def main(arguments: list[str]) -> None:
    """Fuzz the loader named first; the rest is for libFuzzer."""
    loader, options = arguments[0], arguments[1:]
    folder = Path(tempfile.mkdtemp(prefix="fuzz"))
    path = folder / f"input.{loader}"
    reads = beside_companions(path)
    corpus = [Path(option) for option in options if not option.startswith("-")]
    # Kernels compile now, not on the clock of an input; some run for odd files only.
    human = limbik.figures.human()
    human.violation([human.rest + human.size])
    human.with_balls("euler").frames([human.rest])
    for k, seed in enumerate(made := seeds(loader)):
        if check(seed, path, reads) == 0:
            raise SystemExit(f"seed {k} of {loader} is refused")
    for k, seed in enumerate(made + list(real(loader))):
        if corpus and corpus[0].is_dir():
            (corpus[0] / f"seed{k}").write_bytes(seed)
    _limit_memory()
    changed = mutator(loader)

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        chance = random.Random(seed)
        new = changed(data, most, chance) if chance.random() < 0.7 else None
        return atheris.Mutate(data, most) if new is None else new

    limits = ["-max_len=20000", f"-timeout={SECONDS}", "-rss_limit_mb=4000"]
    atheris.Setup(
        [sys.argv[0], *limits, *options],
        lambda data: _check(data, path, reads),
        custom_mutator=mutate,
    )
    atheris.Fuzz()


def _check(data: bytes, path: Path, reads: list[Reader]) -> None:
    check(data, path, reads)


def _limit_memory() -> None:
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + VIRTUAL, most))


if __name__ == "__main__":
    main(sys.argv[1:])
