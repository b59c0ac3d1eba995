"""`kulami` and `python -m kulami_solver`; imports that fail or are interrupted print one line."""

from __future__ import annotations

import sys

EXIT_FAILED = 2
EXIT_INTERRUPTED = 130


def main() -> int:
    """Run the `kulami` command and return its exit code."""
    try:
        from kulami_solver.cli import main as command

        return command()
    except KeyboardInterrupt:
        # During the imports; later the command handles it.
        told, code = "interrupted: Ctrl-C", EXIT_INTERRUPTED
    except ImportError as error:
        if error.name != "kulami_solver":  # the error of core/compiled.py explains itself
            raise
        told, code = f"error: {error}", EXIT_FAILED
    if sys.stderr is not None:
        print(f"kulami: {told}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
