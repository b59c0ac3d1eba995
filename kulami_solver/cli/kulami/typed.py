"""Converts typed text to the notations.

    D4          d4           a field
    R, B        r, b         a marble, or the side to move
    ..R.        2r1          squares without a marble, one by one

This is for command lines; files and programs have to keep to the notations.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

_HEADER = re.compile(
    r"\[?\s*(Layout|Scoring|First|Start|Marbles|ShortEnd)\b\s*:?\s*\"?([^\"\]]*)\"?\s*\]?\s*$"
)
_MOVE_NUMBER = re.compile(r"\b[0-9]{1,3}\.+")
_RESULT = re.compile(r"(?:[0-9]{1,3}-[0-9]{1,3}|[*?])\s*$")
_COMMENT = re.compile(r"(\{(?:\\.|[^\\}])*\})", re.DOTALL)
_FIELD = re.compile(r"\b[A-P](?=(?:[1-9]|1[0-6])\b)")
_COLOURS = str.maketrans("RB", "rb")
_FREE = re.compile(r"[0-9.]+")
# Digits of a number of squares that are read: such a number is already too large for any board.
_DIGITS = 4


def fields_as_typed(text: str) -> str:
    """Return a list of fields with small letters; other words stay unchanged.

    Examples:
        >>> fields_as_typed("D4, d7 Q9 A17")
        'd4, d7 Q9 A17'
    """
    return _FIELD.sub(lambda field: field[0].lower(), text)


def kfn_as_typed(text: str) -> str:
    """Return a KFN with its marbles, turn and last marbles as KFN writes them.

    Examples:
        >>> kfn_as_typed("AAB/AAC .R./..B R C2,b1")
        'AAB/AAC 1r1/2b r c2,b1'
        >>> kfn_as_typed("AAB/AAC 1r")
        'AAB/AAC 1r'
    """
    parts = text.strip(" \t\r\n").split(" ")
    if len(parts) != 4:
        return text
    layout, marbles, turn, last = parts
    marbles = _FREE.sub(_counted, marbles.translate(_COLOURS))
    return " ".join((layout, marbles, turn.translate(_COLOURS), fields_as_typed(last)))


def _counted(run: re.Match[str]) -> str:
    """A run of points and numbers as one number of empty squares; a number stays as it is."""
    if "." not in run[0]:
        return run[0]
    numbers = (number.lstrip("0")[:_DIGITS] for number in run[0].split("."))
    return str(run[0].count(".") + sum(int(number or 0) for number in numbers))


def records_as_typed(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a file of games in the form of game records, in JSON or as text.

    In text, `Layout: square` is a header, and a game may lack its result. In both, layouts may be
    names, fields may have capitals, and moves may be numbered.

    Examples:
        >>> text = ["Layout: AAB/CCB", "1. A1 c1"]
        >>> list(records_as_typed(text))
        ['[Layout "AAB/CCB"]', '1. a1 c1 ?']
        >>> list(records_as_typed(['{"board": "square", "moves": "1. D4 d7"}']))[0][-22:]
        '"moves": ["d4", "d7"]}'
    """
    is_text: bool | None = None
    # The last line with moves, to which a result may have to be added.
    held: list[str] = []
    for line in lines:
        if is_text is None and line and not line.startswith("#"):
            is_text = _HEADER.match(line) is not None
        if not is_text:
            yield _json_as_typed(line)
            continue
        header = _HEADER.match(line)
        if header is not None:
            yield from _ended(held)
            name, value = header[1], header[2].strip()
            held = [f'[{name} "{_rows(value) if name == "Layout" else value}"]']
        elif not line or line.startswith(("#", "[")):
            held.append(line)
        else:
            yield from held
            parts = _COMMENT.split(line)
            held = ["".join(p if p.startswith("{") else fields_as_typed(p) for p in parts)]
    yield from _ended(held)


def _ended(held: list[str]) -> Iterator[str]:
    """Yield lines; the first, if it has a game's last moves, gets a result if it has none."""
    for place, line in enumerate(held):
        has_moves = place == 0 and line and not line.startswith(("[", "#"))
        yield f"{line} ?" if has_moves and not _RESULT.search(line) else line


def _json_as_typed(line: str) -> str:
    """A record of JSON with layout names replaced by rows, and fields in small letters."""
    try:
        record = json.loads(line) if line.startswith("{") else None
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        return line
    board, moves = record.get("board"), record.get("moves")
    if isinstance(board, str):
        record["board"] = _rows(board)
    if isinstance(moves, str):
        record["moves"] = fields_as_typed(_MOVE_NUMBER.sub(" ", moves)).split()
    elif isinstance(moves, list):
        record["moves"] = [fields_as_typed(one) if isinstance(one, str) else one for one in moves]
    changed = (record.get("board"), record.get("moves")) != (board, moves)
    return json.dumps(record) if changed else line


def _rows(text: str) -> str:
    """The rows of a named layout; any other text unchanged."""
    from kulami_solver.kulami.layout import named_layout

    return str(named_layout(text.strip().lower()) or text)
