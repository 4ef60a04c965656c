"""``python -m limbik`` and the ``limbik`` command: imports take a moment, and Ctrl-C ends them."""

import sys


def main() -> None:
    """Run the command line; 130 where Ctrl-C stops it while it starts."""
    try:
        from limbik.cli import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
