"""Notations: what a pasted text is, and a position or a game in each of them.

{"board": ...}                  a game record, one a line; of several, the one asked for
200 letters and digits          a Hagen board in small letters, a KBN board in capitals
LAYOUT MARBLES TURN LAST        KFN, one a line
square, AAB/AAC, lines          a layout
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

from ..core.fields import parse_fields
from ..errors import KulamiError, NotationError
from ..kulami import notation
from ..kulami.position import MARBLES, Position
from ..kulami.replay import numbered_records, parse_record, read_game
from . import requests
from .sentences import recognized, with_code

__all__ = ["record_of", "take_in", "written"]

_GRID: Final = re.compile(r"(?:[A-Za-z][0-9]){100}", re.ASCII)


def take_in(asked: requests.Import) -> dict[str, Any]:
    """Return what a text is, in the words in which a game is asked for.

    Returns:
        `kind`, and `kfn` or `layout`, `first` and `moves`; `scoring` where the text says it.
        `count` is how many there are to choose from.

    Raises:
        KulamiError: if it is nothing.

    Examples:
        >>> take_in(requests.Import("AAB/AAC 2r/3 b c1"))
        {'kind': 'kfn', 'count': 1, 'kfn': 'AAB/AAC 2r/3 b c1'}
        >>> take_in(requests.Import("AAB\\nAAC"))["layout"]
        'AAB/AAC'
    """
    text = asked.text.strip()
    lines = [line for _, _, line in numbered_records(text.splitlines())]
    if not lines:
        raise NotationError(
            "there is nothing to read: paste a KFN, a layout, a Hagen or KBN board, or a record"
        )
    if lines[0].lstrip().startswith("{"):
        return _record(text, asked.game)
    squeezed = "".join(text.split())
    if _GRID.fullmatch(squeezed):
        return _grid(squeezed, asked)
    if len(lines[0].split()) > 1:
        if asked.game > len(lines):
            raise NotationError(f"there are {len(lines)} positions: ask for one of them")
        position = Position.from_kfn(lines[asked.game - 1].strip())
        return {"kind": "kfn", "count": len(lines), "kfn": position.kfn()}
    layout = requests.layout_of("\n".join(line.rstrip() for line in lines))
    return {"kind": "layout", "count": 1, "layout": str(layout), "first": "red", "moves": []}


def _record(text: str, wanted: int) -> dict[str, Any]:
    records = list(numbered_records(text.splitlines()))
    if wanted > len(records):
        raise NotationError(f"there are {len(records)} games: ask for one of them")
    number, place, line = records[wanted - 1]
    game = read_game(parse_record(line, number, place), number, place)
    return {
        "kind": "record",
        "count": len(records),
        "layout": str(game.start.layout),
        "first": game.start.turn,
        "moves": list(game.moves),
        "scoring": game.scoring.value,
        "marbles": game.start.marbles,
        "short_end": game.start.short_end,
    }


def _grid(text: str, asked: requests.Import) -> dict[str, Any]:
    if text.isupper():
        position = Position.from_kbn(text, asked.first)
        return {"kind": "kbn", "count": 1, "kfn": position.kfn()}
    last = None if not asked.last else parse_fields(asked.last)
    position = Position.from_hagen(text, asked.turn or None, last)
    return {"kind": "hagen", "count": 1, "kfn": position.kfn()}


def written(asked: requests.Game) -> dict[str, Any]:
    """Return a position in each notation, and the game as a record.

    Returns:
        By name, `text` with what it `loses`, which `lost` says with codes; or `error`, why it
        cannot be written.

    Raises:
        KulamiError: if there is no such position.

    Examples:
        >>> found = written(requests.Game(layout="AAB/AAC", moves="c1"))
        >>> found["kfn"]["text"], found["hagen"]["error"][:30]
        ('AAB/AAC 2r/3 b c1', 'a Hagen board has no letter fo')
    """
    position = asked.position()
    writers: dict[str, tuple[Callable[[], str], Callable[[Position], tuple[str, ...]]]] = {
        "kfn": (position.kfn, notation.kfn_loses),
        "kbn": (position.kbn, notation.kbn_loses),
        "hagen": (position.hagen, notation.hagen_loses),
        "layout": (lambda: str(position.layout), lambda _position: ()),
        "record": (lambda: json.dumps(record_of(asked)), lambda _position: ()),
    }
    found: dict[str, Any] = {}
    for name, (write, loses) in writers.items():
        try:
            lost = loses(position)
            found[name] = {"text": write(), "loses": list(lost)}
            if lost:
                found[name]["lost"] = [with_code(what) for what in lost]
        except KulamiError as error:
            found[name] = {"error": str(error), **recognized(str(error))}
    return found


def record_of(asked: requests.Game) -> dict[str, Any]:
    """Return a game as a record; one that is not over has no score.

    Raises:
        KulamiError: if it did not begin on an empty board.
    """
    start, scoring = asked.start(), asked.counts
    if start.red | start.black:
        raise NotationError(
            "a record is of a whole game, and this one begins with marbles on the board: "
            "take its KFN"
        )
    position = start.play_all(asked.moves)
    moves = parse_fields(asked.moves)
    level: int | str = scoring.value if scoring.value == "chains" else int(scoring.value)
    record: dict[str, Any] = {
        "board": list(start.layout.rows),
        "level": level,
        "first": start.turn,
        "moves": list(moves),
    }
    if start.marbles != MARBLES:
        record["marbles"] = start.marbles
    if start.short_end:
        record["short_end"] = True
    if position.is_over:
        score = position.score(scoring)
        record["score"] = {"red": score.red, "black": score.black}
    return record
