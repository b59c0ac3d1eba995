"""The games import this first: it raises if the compiled modules are missing or cannot run here."""

from __future__ import annotations

try:
    from . import processor
except ImportError as error:
    raise ImportError(
        "kulami_solver is not built here: run 'pip install -e .' in its source tree, "
        "or leave the tree to use the installed package",
        name="kulami_solver",
    ) from error


def check() -> None:
    """Raise ImportError if the compiled modules cannot run on this processor."""
    lacking = sorted(set(processor.NEEDED).difference(processor.features()))
    if lacking:
        raise ImportError(
            "kulami_solver is compiled for another processor here, and this processor does not "
            f"offer {', '.join(lacking)}: install a wheel, or compile it on this machine with "
            "KULAMI_MARCH=native",
            name="kulami_solver",
        )


check()
