"""Where the `kulami` script begins: Ctrl-C ends it in a line, even while the package is imported.

It stands beside the package, because whatever is in it can be imported only after the package.
"""

from __future__ import annotations

import sys

__all__ = ["main"]

EXIT_INTERRUPTED = 130


def main() -> int:
    """Run the `kulami` command and return its exit code."""
    try:
        from kulami_solver.cli import main as command

        return command()
    except KeyboardInterrupt:
        if sys.stderr is not None:
            print("kulami: interrupted: Ctrl-C", file=sys.stderr)
        return EXIT_INTERRUPTED
