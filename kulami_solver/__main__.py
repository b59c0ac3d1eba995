"""`python -m kulami_solver` is the `kulami` command."""

from __future__ import annotations

import sys

EXIT_INTERRUPTED = 130

if __name__ == "__main__":
    try:
        from kulami_solver.cli import main

        sys.exit(main())
    except KeyboardInterrupt:
        # While the rest was imported; main answers for itself.
        if sys.stderr is not None:
            print("kulami: interrupted: Ctrl-C", file=sys.stderr)
        sys.exit(EXIT_INTERRUPTED)
