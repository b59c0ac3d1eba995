"""`kulami` and `python -m kulami_solver`; an interruption during the imports prints one line."""

from __future__ import annotations

import sys

EXIT_INTERRUPTED = 130


def main() -> int:
    """Run the `kulami` command and return its exit code."""
    try:
        from kulami_solver.cli import main as command

        return command()
    except KeyboardInterrupt:
        # During the imports; later the command handles it.
        if sys.stderr is not None:
            print("kulami: interrupted: Ctrl-C", file=sys.stderr)
        return EXIT_INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
