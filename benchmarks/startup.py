"""Import, first solve with compiled code cached, and cold compile, each in a fresh process.

python -m benchmarks.startup
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from typing import Any

from benchmarks.report import keep, show

SCRIPT = """
import time
began = time.perf_counter()
import limbik
imported = time.perf_counter() - began
figure = limbik.figures.human()
began = time.perf_counter()
limbik.solve(figure, [limbik.Reach("LeftHand", position=[0.4, 1.2, 0.3])])
print(imported, time.perf_counter() - began)
"""


def run(cache: str) -> tuple[float, float]:
    """(seconds to import, seconds of the first solve) with Numba's cache in ``cache``."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=os.environ | {"NUMBA_CACHE_DIR": cache},
        capture_output=True,
        text=True,
        check=True,
    )
    imported, solved = done.stdout.split()
    return float(imported), float(solved)


def main() -> None:
    """Cold, then cached three times (the best counts)."""
    with tempfile.TemporaryDirectory() as cache:
        _, cold = run(cache)
        warm = [run(cache) for _ in range(3)]
    rows: list[dict[str, Any]] = [
        {
            "import_s": min(imported for imported, _ in warm),
            "first_solve_cached_s": min(solved for _, solved in warm),
            "first_solve_cold_s": cold,
        }
    ]
    show("Start-up", rows)
    keep("startup", rows)


if __name__ == "__main__":
    main()
