"""`python -m kulami_solver` is the `kulami` command."""

from __future__ import annotations

import sys

from kulami_solver.cli import main

if __name__ == "__main__":
    sys.exit(main())
