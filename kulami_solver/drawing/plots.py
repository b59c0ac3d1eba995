"""Figures by matplotlib, which is the extra `plot`: the same data gives the same bytes."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

from ..errors import KulamiError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# The version of the drawing program and the time are left out.
_UNNAMED: Final[dict[str, dict[str, None]]] = {
    "png": {"Software": None},
    "svg": {"Creator": None, "Date": None},
    "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
}


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure.

    Args:
        width, height: in inches.

    Raises:
        KulamiError: if matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise KulamiError("matplotlib_missing") from None
    return Figure(figsize=(width, height), layout="constrained")


def saved(figure: Figure, kind: str) -> bytes:
    """Return a figure as a file of a kind: "png", "svg" or "pdf"."""
    from matplotlib import rc_context

    drawn = io.BytesIO()
    with rc_context({"svg.hashsalt": "kulami"}):  # identifiers in an SVG are random without it
        figure.savefig(drawn, format=kind, dpi=120, metadata=_UNNAMED[kind])
    return drawn.getvalue()
