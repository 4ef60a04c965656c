"""``python -m limbik`` is the ``limbik`` command."""

from limbik.cli import main

if __name__ == "__main__":
    main()
