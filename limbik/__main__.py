"""``python -m limbik`` and the ``limbik`` command."""

from limbik.interrupt import as_usual


def main() -> None:
    """Run the command line; until it listens to Ctrl-C itself, ``interrupt.py`` does."""
    from limbik.cli import main as run

    as_usual()
    run()


if __name__ == "__main__":
    main()
