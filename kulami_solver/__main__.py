"""`kulami` and `python -m kulami_solver`: what ends them while they are imported is one line."""

from __future__ import annotations

import sys

EXIT_INTERRUPTED = 130


def main() -> int:
    """Run the `kulami` command and return its exit code."""
    try:
        from kulami_solver.cli import main as command

        return command()
    except KeyboardInterrupt:
        # While the rest was imported; the command answers for itself.
        if sys.stderr is not None:
            print("kulami: interrupted: Ctrl-C", file=sys.stderr)
        return EXIT_INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
