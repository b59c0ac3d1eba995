"""Parts of the pages of bots and games: charts, states with their moves' values.

A page needs no other files: styles, from `page.html`, and pictures are in it, and there is no
script.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Final

from ..game import Number
from .case import Case

_PAGE: Final = Path(__file__).with_name("page.html")


def page(title: str, body: str, language: str = "en") -> str:
    """Return a page of HTML in a language.

    Examples:
        >>> page("a & b", "").count("<title>a &amp; b</title>")
        1
    """
    template = Template(_PAGE.read_text(encoding="utf-8"))
    return template.substitute(title=escape(title), body=body, language=language)


def figures(found: Sequence[tuple[str, str]]) -> str:
    """Return figures, each with its meaning, as cards.

    Examples:
        >>> figures([("1", "of two")]).count("<b>1</b>")
        1
    """
    return "\n".join(
        f'<div class="figure"><b>{escape(value)}</b><span>{escape(words)}</span></div>'
        for value, words in found
    )


def rate_words(rate: float | None) -> str:
    """Return a share of 1 in per cent, "-" for None.

    Examples:
        >>> rate_words(0.5), rate_words(None)
        ('50.0 %', '-')
    """
    return "-" if rate is None else f"{rate * 100:.1f} %"


def signed_words(value: Number) -> str:
    """Return a value with its sign; 0 gets none.

    Examples:
        >>> signed_words(2), signed_words(0)
        ('+2', '0')
    """
    return f"+{value}" if value > 0 else "\u2212" + str(-value) if value else "0"


# Charts


def chart(title: str, drawing: str, wide: bool = False) -> str:
    """Return a drawing as a card; a wide one keeps its width, and can be scrolled."""
    kind = "chart wide" if wide else "chart"
    return f'<div class="{kind}"><h3>{escape(title)}</h3>{drawing}</div>'


def svg(width: float, height: float, shapes: Sequence[str]) -> str:
    """Return elements as a drawing."""
    return f'<svg viewBox="0 0 {width:g} {height:g}" role="img">{"".join(shapes)}</svg>'


def label(x: float, y: float, text: str, anchor: str = "middle", kind: str = "") -> str:
    """Return a text in a drawing."""
    marked = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{marked}>{escape(text)}</text>'


def bar(x: float, y: float, width: float, height: float, title: str) -> str:
    """Return a bar in a drawing; its title is shown when one points at it."""
    return (
        f'<rect class="bar" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'rx="2"><title>{escape(title)}</title></rect>'
    )


# States


def drawn_case(case: Case, played: str | None, language: str = "en") -> str:
    """Return a state with its moves' values: in its picture, or else below it in words.

    Args:
        case: the state.
        played: the move to be marked, None if there is none.
        language: of the picture's words.
    """
    with_values = case.picture_in(language, played)
    if with_values is not None:
        return with_values
    picture = case.state_picture(language)
    if picture is None:
        picture = f'<pre class="board">{escape(case.state.drawn())}</pre>'
    return f'{picture}<p class="values">{_values(case, played)}</p>'


def _values(case: Case, played: str | None) -> str:
    """Every move and its value, the best ones first; the played move is marked."""
    said = []
    for move in sorted(case.values, key=lambda move: -case.values[move]):
        value = case.values[move]
        words = f"{escape(move)} {signed_words(value)}"
        kind = "good" if value == case.best else "bad" if move == played else ""
        said.append(f'<span class="{kind}">{words}</span>' if kind else words)
    return ", ".join(said)
