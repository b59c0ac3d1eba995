"""Where the `kulami` script begins: whatever ends it while the package is imported is one line.

It stands beside the package, because whatever is in it can be imported only after the package.
"""

from __future__ import annotations

import sys

__all__ = ["main"]

EXIT_BAD_INPUT = 2
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
    except ImportError as error:
        if error.name != "kulami_solver":
            raise
        # It is not built, or not for this processor, or not in the variant that is asked for.
        if sys.stderr is not None:
            print(f"kulami: error: {error}", file=sys.stderr)
        return EXIT_BAD_INPUT
