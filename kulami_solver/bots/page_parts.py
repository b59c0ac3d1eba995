"""What the pages of bots and games are made of: styles, charts, states with their moves' values.

A page needs nothing from anywhere: styles and pictures are in it, and there is no script.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from string import Template
from typing import Final

from ..game import Number
from .case import Case

_PAGE: Final = Template("""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
:root { color-scheme: light dark; --paper: #fbf7ef; --card: #fffdf8; --ink: #33291f;
  --faint: #7d6e5d; --line: #e4d9c6; --bar: #b9793a; --good: #14803c; --bad: #c41e22; }
@media (prefers-color-scheme: dark) { :root { --paper: #1d1915; --card: #28221c; --ink: #efe6d8;
  --faint: #a99a86; --line: #43392e; --bar: #a06a35; --good: #59c27f; --bad: #ff7b74; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1180px; padding: 28px 22px 60px; background: var(--paper);
  color: var(--ink); font: 16px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }
h1 { font-size: 30px; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 20px; margin: 38px 0 12px; }
.lead { color: var(--faint); margin: 4px 0 22px; }
.figures { display: grid; gap: 14px; grid-template-columns: repeat(auto-fit, minmax(175px, 1fr)); }
.figure, .chart, .blunder { background: var(--card); border: 1px solid var(--line);
  border-radius: 12px; padding: 16px 18px; }
.figure b { display: block; font-size: 30px; line-height: 1.2; font-weight: 650; }
.figure span { color: var(--faint); font-size: 14px; }
.charts { display: grid; gap: 14px; grid-template-columns: 1fr 1fr; }
@media (max-width: 700px) { .charts { grid-template-columns: 1fr; } }
.chart { min-width: 0; }
.chart.wide { grid-column: 1 / -1; overflow-x: auto; }
.chart.wide svg { min-width: 640px; }
.chart h3 { margin: 0 0 8px; font-size: 15px; }
.chart svg { display: block; width: 100%; height: auto; }
.chart text { fill: var(--faint); font: 12px system-ui, sans-serif; }
.chart .value { fill: var(--ink); }
.chart .bar { fill: var(--bar); }
.chart .axis { stroke: var(--line); }
.chart .whisker { stroke: var(--ink); stroke-opacity: .55; fill: none; }
.blunders { display: grid; gap: 16px;
  grid-template-columns: repeat(auto-fill, minmax(min(330px, 100%), 1fr)); }
.blunder h3 { margin: 0 0 2px; font-size: 17px; }
.blunder p { margin: 0 0 10px; color: var(--faint); font-size: 14px; }
.blunder pre { overflow-x: auto; font-size: 11px; color: var(--faint); }
.blunder pre.board { font: 14px/1.25 ui-monospace, Menlo, Consolas, monospace; color: var(--ink); }
.blunder svg { display: block; width: 100%; height: auto; max-height: 560px; border-radius: 8px; }
.blunder code { display: block; margin-top: 10px; font-size: 11px; overflow-wrap: anywhere;
  color: var(--faint); user-select: all; }
.figures + .charts { margin-top: 14px; }
@media (max-width: 700px) { .curve .chart text { font-size: 19px; } }
.chart .value-line { stroke: var(--ink); stroke-width: 2.5; fill: none; stroke-linejoin: round; }
.chart .estimate { stroke: var(--faint); stroke-width: 2; stroke-dasharray: 2 6; fill: none;
  stroke-linecap: round; }
.chart .zero { stroke: var(--faint); }
.chart .dot { fill: var(--ink); }
.chart .flip { fill: var(--bad); stroke: var(--card); stroke-width: 2; }
.chart .solved { fill: var(--bar); fill-opacity: .1; }
.chart a text { fill: var(--bad); font-weight: 600; }
.chart .key { display: flex; flex-wrap: wrap; gap: 2px 18px; margin: 8px 0 0; color: var(--faint);
  font-size: 13px; }
.moves { overflow-x: auto; margin-top: 14px; background: var(--card);
  border: 1px solid var(--line); border-radius: 12px; padding: 8px 18px; }
.moves summary { cursor: pointer; padding: 6px 0; }
.moves table { border-collapse: collapse; font-size: 14px; min-width: 430px; }
.moves th, .moves td { text-align: left; padding: 3px 26px 3px 0;
  border-top: 1px solid var(--line); }
.moves th { border-top: 0; color: var(--faint); font-weight: 500; }
.moves .number { text-align: right; font-variant-numeric: tabular-nums; }
.good { color: var(--good); font-weight: 600; }
.bad { color: var(--bad); font-weight: 600; }
footer { margin-top: 40px; color: var(--faint); font-size: 13px; }
@media print { body { max-width: none; } .blunder { break-inside: avoid; } }
</style>
</head>
<body>
$body
</body>
</html>
""")


def page(title: str, body: str) -> str:
    """Return a page of HTML.

    Examples:
        >>> page("a & b", "").count("<title>a &amp; b</title>")
        1
    """
    return _PAGE.substitute(title=escape(title), body=body)


def figures(found: Sequence[tuple[str, str]]) -> str:
    """Return figures, each with what it is, as cards.

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
    """Return a value with its sign, which 0 has not.

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


def drawn_case(case: Case, played: str | None) -> str:
    """Return a state with its moves' values: in its picture, or else below it in words.

    Args:
        case: the state.
        played: the move to be marked, None if there is none.
    """
    with_values = case.picture(played)
    if with_values is not None:
        return with_values
    picture = case.state.svg()
    if picture is None:
        picture = f'<pre class="board">{escape(case.state.drawn())}</pre>'
    return f'{picture}<p class="values">{_values(case, played)}</p>'


def _values(case: Case, played: str | None) -> str:
    """Every move and its value, the best ones first; what was played among them."""
    said = []
    for move in sorted(case.values, key=lambda move: -case.values[move]):
        value = case.values[move]
        words = f"{escape(move)} {signed_words(value)}"
        kind = "good" if value == case.best else "bad" if move == played else ""
        said.append(f'<span class="{kind}">{words}</span>' if kind else words)
    return ", ".join(said)
