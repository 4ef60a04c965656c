"""The benchmarks that measure limbik as a whole, one after the other.

    python -m benchmarks [NAME ...]

Names are those below, all of them (half an hour) unless some are given.  Other benchmarks are run
by themselves, such as ``python -m benchmarks.robots.collisions``; their files say how.
"""

import argparse

from benchmarks import anatomy, arm, drag, methods, peers, poser, startup, track

RUNS = {
    "startup": startup.main,
    "track": lambda: track.main([]),
    "arm": lambda: arm.main(10_000),
    "peers": lambda: peers.main(500),
    "drag": drag.main,
    "poser": poser.main,
    "methods": lambda: methods.main([]),
    "anatomy": lambda: anatomy.main([]),
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        "python -m benchmarks", description="Measure limbik: all of these, or those named."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(RUNS))
    names = parser.parse_args().names
    if unknown := [name for name in names if name not in RUNS]:
        parser.error(f"there is no benchmark {unknown[0]}; there are {', '.join(RUNS)}")
    for run in names or RUNS:
        RUNS[run]()
