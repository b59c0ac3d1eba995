"""The requests about Kulami, and the answers to those that other games do not have.

A text that is taken in may be

{"board": ...}, [Layout "..."]  game records as JSON or text; the request chooses one of several
1. d4 d7, Layout: square        likewise, as people write them
200 letters and digits          a Hagen board in small letters, a KBN board in capitals
LAYOUT MARBLES TURN LAST        KFN, one on each line
square, AAB/AAC, lines          a layout
"""

from __future__ import annotations

import csv
import functools
import itertools
import json
import re
from collections.abc import Callable
from typing import Annotated, Any, Final, Literal

import msgspec

from ...bots.kulami.puzzles import Puzzle, read_puzzles
from ...bots.kulami.suite import shipped
from ...core.game_records import numbered_records
from ...core.notation import parse_fields, parse_turn, plain_lines
from ...errors import KulamiError, NotationError, Phrase
from ...kulami.game import KulamiState, state_of
from ...kulami.game_record import GameRecord, records
from ...kulami.position import notation
from ...kulami.position.edition import OPTIONS, chosen
from ...kulami.position.layout import Layout, named_layout
from ...kulami.position.layout_text import texts_of
from ...kulami.position.position import Position
from ...kulami.position.scoring import Scoring
from ..messages import Field, Line, Whole, told
from ..replays import Asked, fields_of

# A numbered move, or a header without brackets, after a title perhaps.
_GAME: Final = re.compile(
    r"^[ \t]*(?:[0-9]{1,3}[.)]\s*[A-P][0-9]|(?:Layout|Start|First)[ \t]*:)", re.I | re.M | re.A
)
# A header in brackets, or an object of JSON; one that has a board and no moves is no record.
_RECORD: Final = re.compile(
    r"""\s*(?:\[ ?[A-Za-z]{2}|\{(?=\s*")(?:(?=.*"moves")|(?!.*"(?:layout":|board":\s*\[)\s*")))""",
    re.S,
)
_GRID: Final = re.compile(r"(?:[A-Za-z][0-9]){100}", re.ASCII)
_MOST_GAMES: Final = 5000  # of a text to choose from, so that no text keeps the others waiting
_SMALL_BOARDS: Final = "small-boards.csv"

Fields = Annotated[list[Field], msgspec.Meta(max_length=128)]


_Edition: Final = functools.partial(msgspec.defstruct, "_Edition", fields_of(OPTIONS))


class Kulami(_Edition(bases=(Asked,))):  # type: ignore[misc]
    """A position and the moves after it, as in a link.

    Either `kfn`, or `layout` (a name or rows) with `first`.
    """

    kfn: Line | None = None
    layout: Line | None = None
    moves: Line | Fields = ""
    first: Field = "red"
    scoring: Literal["0", "1", "2", "chains"] | int = "0"

    @property
    def counts(self) -> Scoring:
        """The scoring."""
        return Scoring.parse(self.scoring)

    def played(self) -> tuple[str, ...]:
        """Return the moves one by one."""
        return parse_fields(self.moves)

    def start(self) -> KulamiState:
        """Return the state before the moves.

        Raises:
            KulamiError: if there is no such position.
        """
        if (self.kfn is None) == (self.layout is None):
            raise NotationError("which_position")
        if self.kfn is not None:
            position = Position.from_kfn(self.kfn, **chosen(self))
        else:
            assert self.layout is not None
            first = parse_turn(self.first, "first")
            position = Position(layout_of(self.layout), first, **chosen(self))
        return state_of(position, self.counts)


class AskedBoard(msgspec.Struct, forbid_unknown_fields=True):
    """Asks for the picture of a layout."""

    layout: Line


class AskedLayout(msgspec.Struct, forbid_unknown_fields=True):
    """Asks whether a text is a layout, or for a random layout."""

    layout: Line | None = None
    seed: Whole | None = None
    irregular: bool = False

    def found(self) -> Layout:
        """Return the layout in question.

        Raises:
            KulamiError: if it is none.
        """
        if (self.layout is None) == (self.seed is None):
            raise KulamiError("which_layout")
        if self.seed is not None:
            return Layout.random(self.seed, self.irregular)
        assert self.layout is not None
        return layout_of(self.layout)


class Arrange(_Edition(), kw_only=True, forbid_unknown_fields=True):  # type: ignore[misc,call-arg]
    """Asks whether an arrangement of marbles is a valid position."""

    layout: Line
    red: Fields
    black: Fields
    turn: Field
    last: Fields

    def position(self) -> Position:
        """Return the position.

        Raises:
            KulamiError: if it is none.
        """
        layout = layout_of(self.layout)
        red, black = (
            sum({1 << layout.index(field) for field in fields}) for fields in (self.red, self.black)
        )
        return Position.arranged(layout, red, black, self.turn, self.last, **chosen(self))


class AskedPuzzle(msgspec.Struct, forbid_unknown_fields=True):
    """Asks for one of the puzzles, by its number."""

    number: Annotated[int, msgspec.Meta(ge=1, le=10**6)]


class Import(msgspec.Struct, forbid_unknown_fields=True):
    """A text that may be a position, a layout or a game."""

    text: Annotated[str, msgspec.Meta(max_length=240_000)]
    turn: Field | None = None
    last: Line | None = None
    first: Field = "red"
    game: Annotated[int, msgspec.Meta(ge=1, le=10**6)] = 1


def layout_of(text: str) -> Layout:
    """Return a layout by its name or its rows.

    Raises:
        KulamiError: if it is none.

    Examples:
        >>> layout_of("square").width, layout_of("AAB/AAC").width
        (8, 3)
    """
    return named_layout(text) or Layout.parse(text)


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
    plain = plain_lines(text)
    lines = [line for _, _, line in numbered_records(plain.split("\n"))]
    if not lines:
        raise NotationError("nothing_to_read")
    if _RECORD.match(plain) or _GAME.search(plain):
        return _read_record(text.split("\n"), asked.game)
    squeezed = "".join(plain.split())
    if _GRID.fullmatch(squeezed):
        return _read_grid(squeezed, asked)
    words = lines[0].split()
    # Letters and blanks may be a row of a layout.
    has_words = max(map(len, words)) > 1 < len(words) and re.search("[A-Za-z]", plain)
    if has_words and not re.search(r"[\]@;(}]", plain):
        if asked.game > len(lines):
            raise NotationError("so_many_positions", count=len(lines))
        parts = lines[asked.game - 1].replace(" ,", ",").replace(", ", ",")
        position = Position.from_kfn(parts)
        return {"kind": "kfn", "count": len(lines), "kfn": position.kfn()}
    is_array = re.search(r"[\[{]", plain)
    board = next((found for _, found in texts_of(lines)), "") if is_array else "\n".join(lines)
    layout = layout_of(board)
    return {"kind": "layout", "count": 1, "layout": str(layout), "first": "red", "moves": []}


def _read_record(lines: list[str], wanted: int) -> dict[str, Any]:
    found = list(itertools.islice(records(lines), _MOST_GAMES))
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
        **game.start.edition,
        **{name: said[name] for name in ("comments", "variations") if name in said},
    }


def _read_grid(text: str, asked: Import) -> dict[str, Any]:
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


@functools.cache
def small_boards() -> list[dict[str, Any]]:
    """Return the small layouts, each with its value to the side that begins, by scoring.

    Raises:
        KulamiError: if the table did not come with this installation.

    Examples:
        >>> small_boards()[0]
        {'layout': 'AAA/AAA/BBB', 'values': {'0': 3, '1': 3, '2': 3, 'chains': 3}}
    """
    table = shipped(_SMALL_BOARDS)
    if table is None:
        raise KulamiError("no_small_boards", file=_SMALL_BOARDS)
    found: dict[str, dict[str, int]] = {}
    with open(table, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["layout"], {})[row["scoring"]] = int(row["value"])
    return [{"layout": layout, "values": values} for layout, values in found.items()]


@functools.cache
def _puzzles() -> list[Puzzle]:
    return read_puzzles()


def puzzles_shown() -> dict[str, Any]:
    """Return the difficulty and the scoring of all puzzles, as lists in their order.

    Raises:
        KulamiError: if they did not come with this installation.

    Examples:
        >>> shown = puzzles_shown()
        >>> len(shown["difficulty"]), shown["scoring"][:4]
        (500, ['0', '1', '2', 'chains'])
    """
    return {
        "difficulty": [puzzle.difficulty for puzzle in _puzzles()],
        "scoring": [puzzle.scoring.value for puzzle in _puzzles()],
    }


def puzzle_shown(number: int) -> dict[str, Any]:
    """Return a puzzle, with its solution.

    Args:
        number: from 1.

    Raises:
        KulamiError: if no puzzle has that number.

    Examples:
        >>> puzzle_shown(1)["best"]
        'f8'
    """
    puzzles = _puzzles()
    if number > len(puzzles):
        raise KulamiError("so_many_puzzles", count=len(puzzles))
    return {"number": number, **json.loads(puzzles[number - 1].json_line)}
