"""Notations: the reading of a pasted text, and a position or a game in each notation.

{"board": ...}, [Layout "..."]  game records as JSON or text; the request chooses one of several
1. d4 d7, Layout: square        likewise, as people write them
200 letters and digits          a Hagen board in small letters, a KBN board in capitals
LAYOUT MARBLES TURN LAST        KFN, one on each line
square, AAB/AAC, lines          a layout
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

from ...core.fields import parse_fields
from ...errors import KulamiError, NotationError, Phrase
from ...kulami.game_record import GameRecord, records
from ...kulami.position import notation
from ...kulami.position.position import Position
from ...kulami.replay import numbered_records
from ..answers import told
from .requests import Import, Kulami, layout_of

# A numbered move, or a header without brackets, after a title perhaps.
_GAME: Final = re.compile(
    r"^[ \t]*(?:[0-9]{1,3}[.)]\s*[A-P][0-9]|(?:Layout|Start|First)[ \t]*:)", re.I | re.M | re.A
)
_GRID: Final = re.compile(r"(?:[A-Za-z][0-9]){100}", re.ASCII)


def take_in(asked: Import) -> dict[str, Any]:
    """Return the position, game or layout in a text, with the keys of a request about a game.

    Returns:
        `kind`, and `kfn` or `layout`, `first` and `moves`; `scoring`, `comments` and `variations`
        where the text has them. `count` is the number of games or positions to choose from.

    Raises:
        KulamiError: if the text is none of these.

    Examples:
        >>> take_in(Import("AAB/AAC 2r/3 b c1"))
        {'kind': 'kfn', 'count': 1, 'kfn': 'AAB/AAC 2r/3 b c1'}
        >>> take_in(Import("AAB\\nAAC"))["layout"]
        'AAB/AAC'
    """
    text = asked.text.removeprefix("\ufeff").strip()
    lines = [line for _, _, line in numbered_records(text.split("\n"))]
    if not lines:
        raise NotationError("nothing_to_read")
    if lines[0].lstrip().startswith(("{", "[")) or _GAME.search(text):
        return _record(text.split("\n"), asked.game)
    squeezed = "".join(text.split())
    if _GRID.fullmatch(squeezed):
        return _grid(squeezed, asked)
    if len(lines[0].split()) > 1:
        if asked.game > len(lines):
            raise NotationError("so_many_positions", count=len(lines))
        position = Position.from_kfn(lines[asked.game - 1].strip())
        return {"kind": "kfn", "count": len(lines), "kfn": position.kfn()}
    layout = layout_of("\n".join(line.rstrip() for line in lines))
    return {"kind": "layout", "count": 1, "layout": str(layout), "first": "red", "moves": []}


def _record(lines: list[str], wanted: int) -> dict[str, Any]:
    found = list(records(lines))
    if wanted > len(found):
        raise NotationError("so_many_games", count=len(found))
    number, place, record = found[wanted - 1]
    if isinstance(record, KulamiError):
        raise record
    game = GameRecord.from_json(record, number, place)
    said = game.to_json()
    begun = {"layout": str(game.start.layout), "first": game.start.turn}
    return {
        "kind": "record",
        "count": len(found),
        **({"kfn": said["start"]} if "start" in said else begun),
        "moves": said["moves"],
        "scoring": game.scoring.value,
        "marbles": game.start.marbles,
        "short_end": game.start.short_end,
        **{name: said[name] for name in ("comments", "variations") if name in said},
    }


def _grid(text: str, asked: Import) -> dict[str, Any]:
    if text.isupper():
        position = Position.from_kbn(text, asked.first)
        return {"kind": "kbn", "count": 1, "kfn": position.kfn()}
    last = None if not asked.last else parse_fields(asked.last)
    position = Position.from_hagen(text, asked.turn or None, last)
    return {"kind": "hagen", "count": 1, "kfn": position.kfn()}


def written(asked: Kulami) -> dict[str, Any]:
    """Return a position in each notation, and the game as a record.

    Returns:
        By name, `text` with a list of what it `loses`, and the same with codes in `lost`; or
        `error`, the reason why it cannot be written.

    Raises:
        KulamiError: if there is no such position.

    Examples:
        >>> found = written(Kulami(layout="AAB/AAC", moves="c1"))
        >>> found["kfn"]["text"], found["hagen"]["error"][:30]
        ('AAB/AAC 2r/3 b c1', 'a Hagen board has no letter fo')
    """
    start = asked.start().position
    position = start.play_all(asked.moves)

    def record() -> str:
        if start.red | start.black:
            raise NotationError("record_begins_later")
        return json.dumps(GameRecord.played(start, asked.moves, asked.counts).to_json())

    writers: dict[str, tuple[Callable[[], str], Callable[[Position], tuple[Phrase, ...]]]] = {
        "kfn": (position.kfn, notation.kfn_loses),
        "kbn": (position.kbn, notation.kbn_loses),
        "hagen": (position.hagen, notation.hagen_loses),
        "layout": (lambda: str(position.layout), lambda _position: ()),
        "record": (record, lambda _position: ()),
    }
    found: dict[str, Any] = {}
    for name, (write, loses) in writers.items():
        try:
            lost = loses(position)
            found[name] = {"text": write(), "loses": list(lost)}
            if lost:
                found[name]["lost"] = [what.told() for what in lost]
        except KulamiError as error:
            found[name] = told(error)
    return found
