"""Games as data: where they begin, moves, variations, comments, headers and how they ended.

A game is read and written in two forms. A record is an object of JSON, one a line in a file:

    {"board": ["AAB", "CCB"], "level": 0, "first": "red", "moves": ["a1", "a2", "c2"],
     "score": {"red": 4, "black": 2}, "headers": {"Red": "Ann"},
     "comments": {"0": "before the first move", "1": "after the first"},
     "variations": {"2": [{"moves": ["c1"], "comments": {"1": "after c1"}}]}}

`board` may also be the layout's text, `AAB/CCB`, or its name, and `moves` a text, `1. a1 a2`.
`level` is a scoring: 0, 1, 2 or "chains". The options of `position.edition` may be added. A game
that does not begin with the empty board has `start`, a KFN line, instead of `board` and `first`.
`variations` go by the number, from 1, of the move that they replace; they may have comments and
variations of their own. With `"forfeit": "red"` or `"black"` that side gave up or was late: the
game may have stopped early, and the score is that of the board as it stood. A game that was not
played to its end, nor forfeited, has no `score`, and `kulami replay` says that it stops.

The text is for people:

    [Layout "AAB/CCB"]
    [Scoring "0"]
    [First "red"]
    [Red "Ann"]

    {before the first move} 1. a1 {after the first} a2 (1... c1 {after c1}) 2. c2 4-2

`Start` with a KFN line may stand in place of `Layout` and `First`; `Marbles`, `ShortEnd` (true or
false) and `Forfeit` (red or black) may be added, and headers of any other name. Last comes the
score, red's first, `*` for a game without one, or `?` where it is not told. In a comment a
backslash stands before `}` and itself, in a header before `"` and itself; `\\n` and `\\r` are line
ends. Move numbers are for people; programs ignore them.

What people write besides is read, too: a title and remarks, `Red: Ann` and `Layout: square` as
headers, `D4`, `!` and `?` and `$1` on moves (they become comments), `;` before a comment, `31:27`,
`1-0` and `1/2-1/2` as results, and no result at all.

`core.game_records` says how the games of a file are numbered.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ..core.game_records import (
    RecordedGame,
    Verdict,
    before_move,
    is_record,
    parsed_records,
    played,
    positions_after,
    record_named,
    record_part,
)
from ..core.notation import BLACK, RED, parse_fields, parse_turn
from ..errors import KulamiError, NotationError, Phrase, checked_kind, quoted
from .position.boardspace import is_boardspace, read_boardspace
from .position.edition import OPTIONS, chosen, chosen_in
from .position.game_text import DEEPEST, RESERVED, TextGame, header_name, read_text, write_text
from .position.game_text import RecordedMove as RecordedMove
from .position.layout import Layout, named_layout
from .position.position import Position
from .position.scoring import Scoring
from .state import state_of

__all__ = ["read_games"]

_MOVE_NUMBER: Final = re.compile(r"\b[0-9]{1,3}\.+")
_HEADER_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}", re.ASCII)
# Keys of a record that describe the game itself; all others become headers.
_OF_THE_GAME: Final = frozenset(
    ("board", "start", "level", "first", *(option.name for option in OPTIONS))
) | frozenset(("moves", "score", "forfeit", "headers", "comments", "variations"))


@dataclass(frozen=True)
class GameRecord:
    """A game: an immutable value, equal to another with the same content.

    Attributes:
        start: where it begins, any position.
        moves: those that were played.
        scoring: what counts.
        comment: the comment before the first move.
        headers: further facts, by names of letters, digits and `_`; `red` becomes `Red`, as in
            the text.
        forfeit: the side that gave up or was late, if one did.

    Raises:
        KulamiError: if a move or one of a variation is not legal, or anything else makes no sense.

    Examples:
        >>> from kulami_solver import Layout
        >>> start = Position(Layout.parse("AAB/CCB"))
        >>> game = GameRecord.played(start, "a1 a2 c2", headers={"Red": "Ann"})
        >>> game.result, game.end.kfn()
        ((4, 2), 'AAB/CCB r2/b1r b c2,a2')
        >>> print(game.text())
        [Layout "AAB/CCB"]
        [Scoring "0"]
        [First "red"]
        [Red "Ann"]
        <BLANKLINE>
        1. a1 a2 2. c2 4-2
        >>> GameRecord.from_text(game.text()) == GameRecord.from_json(game.to_json()) == game
        True
    """

    start: Position
    moves: tuple[RecordedMove, ...] = ()
    scoring: Scoring = Scoring.LEVEL0
    comment: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, hash=False)
    forfeit: str | None = None

    def __post_init__(self) -> None:
        checked_kind(self.start, Position, "a game begins with a Position", NotationError)
        checked_kind(self.scoring, Scoring, "scoring is a Scoring", NotationError)
        if self.forfeit is not None:
            parse_turn(self.forfeit, "forfeit")
        headers: dict[str, str] = {}
        named = checked_kind(self.headers, Mapping, "headers are names and texts", NotationError)
        for given, value in named.items():
            if not isinstance(given, str) or not _HEADER_NAME.fullmatch(given):
                raise NotationError("no_header_name", name=given)
            name = header_name(given)
            if name in RESERVED:
                raise NotationError("header_of_game", name=name)
            if name in headers:
                raise NotationError("header_twice", header=name)
            _check_text(value, Phrase("header_named", name=name))
            headers[name] = value
        object.__setattr__(self, "headers", headers)
        _check_text(self.comment, Phrase("first_comment"))
        end = _check_moves(self.start, self.moves, 0)
        object.__setattr__(self, "_end", end)

    @classmethod
    def played(
        cls,
        start: Position,
        moves: str | Iterable[str],
        scoring: Scoring | str | int = Scoring.LEVEL0,
        headers: Mapping[str, str] | None = None,
        forfeit: str | None = None,
    ) -> GameRecord:
        """Return a game of plain moves, as text or an iterable of fields.

        Raises:
            KulamiError: as for the game itself.
        """
        line = tuple(RecordedMove(name) for name in parse_fields(moves))
        return cls(start, line, Scoring.parse(scoring), "", headers or {}, forfeit)

    # Moves, positions and result

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that were played."""
        return tuple(move.field for move in self.moves)

    @property
    def end(self) -> Position:
        """The position after the last move."""
        end: Position = self._end  # type: ignore[attr-defined]
        return end

    @property
    def result(self) -> tuple[int, int] | None:
        """Red's and black's score; None if the game was neither played to its end nor forfeited."""
        if not self.end.is_over and self.forfeit is None:
            return None
        score = self.end.score(self.scoring)
        return score.red, score.black

    # JSON

    @classmethod
    def from_json(cls, record: object, number: int = 1, game: int | None = None) -> GameRecord:
        """Return the game in a record, also one of `kulami match --save`.

        Keys that do not describe the game itself become headers: `red` becomes `Red`.

        Args:
            record: a line of JSON, parsed.
            number: the record's number in messages.
            game: its place among the records, from 1, if that is not `number`.

        Raises:
            KulamiError: if this is no record, or its score is not that of the rules.

        Examples:
            >>> record = {"board": "AAB/AAC", "level": 0, "first": "red", "moves": ["a1", "c1"]}
            >>> GameRecord.from_json(record | {"red": "greedy"}).headers
            {'Red': 'greedy'}
        """
        found = read_game(record, number, game)
        assert isinstance(record, Mapping)
        with record_named(number, game):
            comment, moves = _line(record, list(found.moves), 0)
            start, scoring = found.start.position, found.start.game.scoring
            return cls(start, moves, scoring, comment, _headers(record), record.get("forfeit"))

    def to_json(self) -> dict[str, Any]:
        """Return the game as a record; `json.dumps` makes a line of it."""
        start = self.start
        level = self.scoring.value
        record: dict[str, Any] = {
            "board": list(start.layout.rows),
            "level": int(level) if level.isdigit() else level,
            "first": start.first,
        }
        if start.last:
            record["start"] = start.kfn()
        record |= start.edition.unusual | _line_json(self.comment, self.moves)
        if self.result is not None:
            record["score"] = dict(zip((RED, BLACK), self.result, strict=True))
        if self.forfeit is not None:
            record["forfeit"] = self.forfeit
        if self.headers:
            record["headers"] = dict(self.headers)
        return record

    # Text

    @classmethod
    def from_text(cls, text: str) -> GameRecord:
        """Return the one game in a text.

        Raises:
            KulamiError: if there is none, more than one, or one that makes no sense.
        """
        games = [_from_text(game) for game in _texts(text)]
        if len(games) != 1:
            raise NotationError(f"{len(games)} games: give one, or use read_games")
        return games[0]

    def text(self) -> str:
        """Return the game as text, without a line end behind it."""
        start = self.start
        told = {
            "Start": start.kfn() if start.last else None,
            "Layout": None if start.last else str(start.layout),
            "Scoring": self.scoring.value,
            "First": None if start.last else start.turn,
            **start.edition.headers,
            "Forfeit": self.forfeit,
        }
        known = {name: said for name, said in told.items() if said is not None}
        result = "*" if self.result is None else "{}-{}".format(*self.result)
        placed = (start.red | start.black).bit_count()
        return write_text(
            TextGame({**known, **self.headers}, self.comment, self.moves, result, placed, 1, 1)
        )


def read_game(record: object, number: int = 1, game: int | None = None) -> RecordedGame:
    """Return the game in a record, which may have stopped early, and then needs no score.

    Args:
        record: what JSON made of the record.
        number: what the record is called in messages.
        game: its place among the records, from 1, if that is not `number`.

    Raises:
        KulamiError: if this is no record, if a move is not legal, or if a game that is over, or
            forfeited, has not the score that it has by the rules.

    Examples:
        >>> record = {"board": "AAB/AAC", "level": 0, "first": "red", "moves": ["a1", "c1"]}
        >>> read_game(record).end.moves
        ('c2',)
    """
    with record_named(number, game):
        told, start, scoring, moves = _read_record(record)
        end = positions_after(start, moves)[-1]
        if (end.is_over or told.get("forfeit")) and (reason := _other_score(told, end, scoring)):
            raise NotationError(reason)
    return RecordedGame(state_of(start, scoring), moves, state_of(end, scoring))


def check_record(record: object, number: int = 1, game: int | None = None) -> Verdict:
    """Play a record's moves and compare its end and its score.

    Args:
        record: what JSON made of the record.
        number: what the record is called in messages.
        game: its place among the records, from 1, if that is not `number`.

    Returns:
        Whether record and rules agree. A move the rules forbid, moves that stop before the game
        is over and another score are disagreement.

    Raises:
        KulamiError: if this is no record: something is missing or malformed.

    Examples:
        >>> record = {"board": "AAB/AAC", "level": 0, "first": "red",
        ...           "moves": ["a1", "c1", "c2", "a2"], "score": {"red": 1, "black": 1}}
        >>> check_record(record).agrees
        True
        >>> check_record(record | {"moves": ["a1", "a2"]}).reason
        'move 2: black cannot play a2: it is on the panel of the last marble, a1'
    """
    with record_named(number, game):
        told, start, scoring, moves = _read_record(record)
        if "score" in told:
            _points(told)
        (*_, end), refused = played(start, ((field,) for field in moves))
        if refused is not None:
            reason = str(refused)
        elif end.is_over or told.get("forfeit"):
            reason = _other_score(told, end, scoring)
        else:
            field, *more = end.legal_fields
            code = "record_stops_with" if more else "record_stops"
            stops = {"played": len(moves), "side": end.turn, "field": field}
            reason = Phrase(code, **stops, more=len(more))
        return Verdict(number, reason, end, game or number)


def _read_record(record: object) -> tuple[Mapping[Any, Any], Position, Scoring, tuple[str, ...]]:
    """Return a record, where it begins, the scoring and the fields, not played yet."""
    if not isinstance(record, Mapping):
        raise NotationError("record_no_object", given=record)
    start = _begun(record)
    scoring = Scoring.parse(record_part(record, "level", "0, 1, 2 or 'chains'"))
    moves = record_part(record, "moves", "a list of fields")
    # People may number moves and write them with capitals.
    if isinstance(moves, str):
        moves = _MOVE_NUMBER.sub(" ", moves).lower()
    elif isinstance(moves, list):
        moves = [name.lower() if isinstance(name, str) else name for name in moves]
    fields = parse_fields(moves)
    if record.get("forfeit") is not None:
        parse_turn(record["forfeit"], "forfeit")
    return record, start, scoring, fields


def _begun(record: Mapping[Any, Any]) -> Position:
    """Return the position in which the game of a record begins."""
    kfn = record.get("start")
    if kfn is not None:
        if not isinstance(kfn, str):
            raise NotationError("record_start", given=kfn)
        return Position.from_kfn(kfn, **chosen(record))
    board = record_part(record, "board", "a list of rows or 'AAB/AAC'")
    if isinstance(board, str):
        layout = named_layout(board.strip().lower()) or Layout.parse(board)
    else:
        layout = Layout.from_rows(board)
    first = record_part(record, "first", "'red' or 'black'")
    return Position(layout, first, **chosen(record))


def _other_score(record: Mapping[Any, Any], end: Position, scoring: Scoring) -> str:
    """Why the score of a record is not that of its end; empty if it is."""
    red, black = _points(record)
    right = end.score(scoring)
    if (red, black) == (right.red, right.black):
        return ""
    return Phrase(
        "record_other_score", red=red, black=black, right_red=right.red, right_black=right.black
    )


def _points(record: Mapping[Any, Any]) -> list[int]:
    """Return the score that a record says, red's first."""
    given = record_part(record, "score", '{"red": 31, "black": 27}')
    if not isinstance(given, Mapping):
        raise NotationError("record_score", given=given)
    points = []
    for colour in ("red", "black"):
        if colour not in given:
            raise NotationError("record_score_lacks", side=colour)
        if not isinstance(given[colour], int) or isinstance(given[colour], bool):
            raise NotationError("record_score_of", side=colour, given=given[colour])
        points.append(given[colour])
    return points


def read_games(text: str) -> Iterator[GameRecord]:
    """Yield the games of a file, lines of JSON or text.

    Args:
        text: all of it; a file that begins with `[` is in the form of text.

    Raises:
        KulamiError: at the first game that makes no sense; the error says which.

    Examples:
        >>> from kulami_solver import Layout
        >>> start = Position(Layout.parse("AAB/CCB"))
        >>> games = [GameRecord.played(start, "a1"), GameRecord.played(start, "c1 a1")]
        >>> list(read_games("\\n\\n".join(game.text() for game in games))) == games
        True
        >>> list(read_games("\\n".join(json.dumps(game.to_json()) for game in games))) == games
        True
    """
    for number, game, record in records(_lines(text)):
        if isinstance(record, KulamiError):
            raise record
        yield GameRecord.from_json(record, number, game)


def records(
    lines: Iterable[str], layout: str = "", partly: bool = False
) -> Iterator[tuple[int, int, object]]:
    """Yield the games of a file as records, whichever form it has.

    Args:
        lines: of the file.
        layout: of the games that do not say theirs.
        partly: of a text with a move that is not legal, yield what is before that, and the error.

    Returns:
        The number of its line, its place among the games, from 1, and the record; in place of a
        game that cannot be read, the error that says why.

    Examples:
        >>> found = records(["1. d4 d7", "", "Layout: AAB/CCB", "Red: Ann", "1. A1! c1"])
        >>> number, game, error = next(found)
        >>> number, game, str(error)
        (1, 1, 'game record 1: there is no layout: put [Layout "square"] in front')
        >>> number, game, record = next(found)
        >>> number, game, record["moves"], record["headers"], record["comments"]
        (3, 2, ['a1', 'c1'], {'Red': 'Ann'}, {'1': '!'})
    """
    source = iter(lines.splitlines() if isinstance(lines, str) else lines)
    first: list[str] = []
    for line in source:
        first.append(line)
        if is_record(line):
            break
    if not is_text(first):
        for number, place, record in parsed_records(itertools.chain(first, source)):
            if layout and isinstance(record, dict) and not record.keys() & {"board", "start"}:
                record["board"] = layout
            yield number, place, record
        return
    for found in _texts("\n".join([*first, *source])):
        if layout and "Start" not in found.headers:
            found.headers.setdefault("Layout", layout)
        try:
            yield found.number, found.game, _from_text(found).to_json()
        except KulamiError as error:
            record = {"moves": [move.field for move in found.moves]}
            if partly and (before := before_move(record, error)) is not None:
                found.moves, found.result = found.moves[: len(before["moves"])], "?"
                found.headers.pop("Forfeit", None)
                yield found.number, found.game, _from_text(found).to_json()
            yield found.number, found.game, error


def _lines(text: str) -> list[str]:
    return checked_kind(text, str, "a game is text", NotationError).split("\n")


def _texts(text: str) -> Iterator[TextGame]:
    """The games of a text: those of BoardSpace begin with a parenthesis."""
    first = next(filter(is_record, _lines(text)), "")
    return read_boardspace(text) if is_boardspace(first) else read_text(text)


def is_text(lines: Iterable[str]) -> bool:
    """Whether the lines of a file of games are text: the first one with content is not JSON."""
    first = next(filter(is_record, lines), "{")
    return re.match(r'\s*(?:[{"]|\[\s*(?![A-Za-z\s]))', first) is None


def _check_text(text: object, what: Phrase) -> None:
    if not isinstance(text, str):
        raise NotationError("no_text", what=what, given=text)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise NotationError("text_for_no_file", what=what, given=text) from None


def _check_moves(position: Position, moves: tuple[RecordedMove, ...], depth: int) -> Position:
    """Play moves and those of their variations; return the position after the moves."""
    if depth > DEEPEST:
        raise NotationError("variations_too_deep", most=DEEPEST)
    listed = checked_kind(moves, tuple, "moves are a tuple of RecordedMoves", NotationError)
    for number, move in enumerate(listed, 1):
        if not isinstance(move, RecordedMove) or not isinstance(move.variations, tuple):
            raise NotationError(f"move {number} is {quoted(move)}: give a RecordedMove")
        if move.comment != "":  # most have none, and a text may have very many moves
            _check_text(move.comment, Phrase("comment_on", number=number))
        for variation in move.variations:
            try:
                if not variation:
                    raise NotationError("variation_empty")
                _check_moves(position, variation, depth + 1)
            except KulamiError as error:
                if depth:  # of variations within variations only the outermost is named
                    raise
                raise error.at("variation_of", number=number) from None
        try:
            position = position.play(str(move.field))
        except KulamiError as error:
            raise error.at("move", number=number) from None
    return position


# JSON


def _headers(record: Mapping[Any, Any]) -> dict[str, str]:
    given = record.get("headers", {})
    if not isinstance(given, Mapping):
        raise NotationError("headers_not_named", given=given)
    headers = {}
    for name, value in record.items():
        header = header_name(str(name)[:1].upper() + str(name)[1:])
        if name in _OF_THE_GAME or not _HEADER_NAME.fullmatch(header) or header in RESERVED:
            continue
        headers[header] = value if isinstance(value, str) else json.dumps(value)
    return {**headers, **given}


def _line(
    record: Mapping[Any, Any], moves: list[str], depth: int
) -> tuple[str, tuple[RecordedMove, ...]]:
    """The first comment and the moves of a record, or of a variation in it."""
    if depth > DEEPEST:
        raise NotationError("variations_too_deep", most=DEEPEST)
    comments = _by_number(record, "comments", 0, len(moves))
    variations = _by_number(record, "variations", 1, len(moves))
    line = []
    for number, name in enumerate(moves, 1):
        others = variations.get(number, [])
        if not isinstance(others, list):
            raise NotationError("variations_no_list", number=number, given=others)
        line.append(
            RecordedMove(
                name,
                comments.get(number, ""),
                tuple(_variation(other, number, depth) for other in others),
            )
        )
    return comments.get(0, ""), tuple(line)


def _variation(record: object, number: int, depth: int) -> tuple[RecordedMove, ...]:
    if not isinstance(record, Mapping) or not isinstance(record.get("moves"), list):
        raise NotationError("variation_no_object", number=number, given=record)
    comment, moves = _line(record, list(parse_fields(record["moves"])), depth + 1)
    if comment:
        raise NotationError("variation_begins_with_comment", number=number)
    return moves


def _by_number(record: Mapping[Any, Any], name: str, low: int, high: int) -> dict[int, Any]:
    """A record's comments or variations, by the numbers of moves."""
    given = record.get(name, {})
    if not isinstance(given, Mapping):
        raise NotationError("no_move_numbers", name=name, given=given)
    found = {}
    for key, value in given.items():
        number = int(key) if re.fullmatch(r"[0-9]{1,3}", str(key), re.ASCII) else -1
        if not low <= number <= high:
            raise NotationError("move_number_out_of_range", name=name, key=key, low=low, high=high)
        found[number] = value
    return found


def _line_json(comment: str, moves: tuple[RecordedMove, ...]) -> dict[str, Any]:
    record: dict[str, Any] = {"moves": [move.field for move in moves]}
    comments = {str(number): move.comment for number, move in enumerate(moves, 1) if move.comment}
    if comment:
        comments = {"0": comment, **comments}
    if comments:
        record["comments"] = comments
    variations = {
        str(number): [_line_json("", variation) for variation in move.variations]
        for number, move in enumerate(moves, 1)
        if move.variations
    }
    if variations:
        record["variations"] = variations
    return record


# Text


def _from_text(found: TextGame) -> GameRecord:
    if found.fault is not None:
        raise found.fault
    with record_named(found.number, found.game):
        headers = found.headers
        game = GameRecord(
            _start(headers),
            found.moves,
            Scoring.parse(headers.get("Scoring", "0")),
            found.comment,
            {name: value for name, value in headers.items() if name not in RESERVED},
            headers.get("Forfeit"),
        )
        result = "*" if game.result is None else "{}-{}".format(*game.result)
        if found.result not in (result, "?", *_won(game)):
            raise NotationError("result_differs", given=found.result, result=result)
        return game


def _won(game: GameRecord) -> tuple[str, ...]:
    """The results that people may write who do not count points."""
    if game.result is None:
        return "1-0", "0-1", "1/2-1/2"
    red, black = game.result
    if game.forfeit is not None:
        red, black = int(game.forfeit != RED), int(game.forfeit == RED)
    return ("1/2-1/2" if red == black else f"{int(red > black)}-{int(black > red)}",)


def _start(headers: dict[str, str]) -> Position:
    edition = chosen_in(headers)
    if "Start" in headers:
        for name in ("Layout", "First"):
            if name in headers:
                raise NotationError("start_says_it", name=name)
    elif "Layout" not in headers:
        raise NotationError("record_without_layout")
    said = {"board": headers.get("Layout"), "first": headers.get("First", RED).lower()}
    return _begun({**said, "start": headers.get("Start"), **edition})
