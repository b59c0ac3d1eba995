"""Pictures and tables for a notebook: HTML that needs no external styles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_LEFT = ' style="text-align:left;vertical-align:top"'


def table(rows: Iterable[tuple[str, str]], heads: tuple[str, str] | None = None) -> str:
    """Return a table of two columns.

    Args:
        rows: the table's texts.
        heads: the headings of the columns; without them the first column holds the rows' headings.

    Examples:
        >>> table([("a1", "draw")], ("field", "value")).count("<th")
        2
    """
    first = "th" if heads is None else "td"
    lines = [] if heads is None else [_row(heads, "th", "th")]
    lines += [_row(row, first, "td") for row in rows]
    return f"<table>{''.join(lines)}</table>"


def _row(row: tuple[str, str], first: str, second: str) -> str:
    from html import escape  # a slow import: it loads the names of all characters

    return (
        f"<tr><{first}{_LEFT}>{escape(row[0])}</{first}>"
        f"<{second}{_LEFT}>{escape(row[1])}</{second}></tr>"
    )


def beside(picture: str, tables: Sequence[str]) -> str:
    """Return a picture with tables beside it, or below it if there is no room.

    Args:
        picture: an SVG document without a prologue.
        tables: of HTML.

    Examples:
        >>> beside("<svg ></svg>", [table([])]).startswith("<div")
        True
    """
    fitting = picture.replace("<svg ", '<svg style="max-width:100%;height:auto" ', 1)
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start">'
        f'<div style="flex:0 1 26em;min-width:12em">{fitting}</div>'
        f'<div style="flex:1 1 16em">{"".join(tables)}</div></div>'
    )


def with_value(
    picture: str,
    value: str,
    best: object,
    line: Iterable[object],
    moves: Iterable[tuple[object, str]],
    move_word: str = "move",
) -> str:
    """Return a position's picture with its value, its best line and its moves.

    Args:
        picture: an SVG document without a prologue.
        value: the value of the position, in words.
        best: a move that keeps the value, None if none is known.
        line: best play from here.
        moves: legal moves, each with its value; none if they were not asked for.
        move_word: the game's word for a move.

    Examples:
        >>> with_value("<svg ></svg>", "red wins", "a1", ["a1", "c1"], []).count("<tr>")
        3
    """
    rows = [("value", value)]
    if best is not None:
        rows.append(("best", str(best)))
    if played := " ".join(map(str, line)):
        rows.append(("line", played))
    tables = [table(rows)]
    if found := [(str(move), worth) for move, worth in moves]:
        tables.append(table(found, (move_word, "value")))
    return beside(picture, tables)
