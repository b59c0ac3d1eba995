"""Pictures of the site: as SVG in docs/_static, for light and for dark pages."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parents[2] / "docs" / "_static"
COLOURS: Final = ("#4477aa", "#cc8833", "#228866", "#aa4477")
INKS: Final = {"light": "#3a3028", "dark": "#cfc4b4"}


def write_pictures(name: str, draw: Callable[[Any], None], *tables: Path) -> None:
    """Write a picture for each scheme, with the SHA-256 of the tables that it is drawn from.

    Args:
        name: of the files, before `-light.svg`.
        draw: draws into matplotlib's axes.
        tables: what a test compares the picture with.
    """
    sources = [f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in tables]
    for scheme, ink in INKS.items():
        path = FOLDER / f"{name}-{scheme}.svg"
        path.write_bytes(_drawn(draw, ink, ", ".join(sources)))
        print(path.name)


def _drawn(draw: Callable[[Any], None], ink: str, source: str) -> bytes:
    """A picture as SVG, in an ink and on no paper."""
    import matplotlib
    from matplotlib.figure import Figure

    kinds = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    with matplotlib.rc_context(
        {**dict.fromkeys(kinds, ink), "svg.hashsalt": "kulami", "font.size": 11}
    ):
        figure = Figure(figsize=(7, 3.6), layout="constrained")
        axes = figure.subplots()
        axes.spines[["top", "right"]].set_visible(False)
        axes.patch.set_alpha(0)
        draw(axes)
        written = io.BytesIO()
        about = {"Date": None, "Creator": None, "Description": source}
        figure.savefig(written, format="svg", transparent=True, metadata=about)
    return written.getvalue()
