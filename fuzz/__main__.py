"""Loaders under the fuzzer, one after the other: ``python -m fuzz [bvh ...] --seconds 600``.

What it tries next grows from what it found: corpora stay in out/fuzz, findings go to out/fuzz too,
and ``python -m fuzz.target LOADER FINDING`` shows one again.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LOADERS = ("bvh", "asf", "amc", "urdf", "mjcf", "xml", "gltf", "glb", "vrm", "vrma", "csv", "npz")
OUT = Path("out/fuzz")
MEMORY = Path("/dev/shm")


def run(loader: str, out: Path, *limits: str) -> tuple[int, str]:
    """(inputs tried, "" or what went wrong) of one loader, within libFuzzer's ``limits``: with
    -runs=N and -seed=K everybody tries the same inputs."""
    corpus = out / loader
    corpus.mkdir(parents=True, exist_ok=True)
    # libFuzzer ends without a farewell, so that its folder is for us to remove.
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        done = subprocess.run(
            [
                *(sys.executable, "-m", "fuzz.target", loader, str(corpus)),
                *(*limits, "-print_final_stats=1", f"-artifact_prefix={out}/{loader}-"),
            ],
            cwd=Path(__file__).resolve().parents[1],
            env=os.environ | {"TMPDIR": folder, "PYTHONHASHSEED": "0"},
            capture_output=True,
            text=True,
            errors="replace",
        )
    found = re.search(r"number_of_executed_units:\s*(\d+)", done.stderr)
    if done.returncode == 0 and found is not None:
        return int(found.group(1)), ""
    return int(found.group(1)) if found else 0, done.stdout[-3000:] + done.stderr[-2000:]


def main() -> None:
    """Run the loaders named, or all."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("loaders", nargs="*", choices=[*LOADERS, []], metavar="loader")
    parser.add_argument("--seconds", type=int, default=600, help="for each loader")
    given = parser.parse_args()
    wrong = 0
    for loader in given.loaders or LOADERS:
        tried, fault = run(loader, OUT.resolve(), f"-max_total_time={given.seconds}")
        print(f"{loader:5} {tried:>10,} inputs", "FOUND:\n" + fault if fault else "", flush=True)
        wrong += bool(fault)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
