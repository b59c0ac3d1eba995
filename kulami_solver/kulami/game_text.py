"""Reading and writing the text form of games; `game_record` says what it means.

text -> tokens -> headers, comments, moves with variations, result
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from ..errors import NotationError

RESERVED: Final = ("Layout", "Start", "Scoring", "First", "Marbles", "ShortEnd", "Forfeit")
"""Headers that describe the game itself."""

DEEPEST: Final = 32
"""Variations within variations are nested at most this deep."""

_WIDTH: Final = 80  # of lines of moves; a comment may make one longer

_TOKEN: Final = re.compile(
    r"""
      (?P<space> \s+ | ^\#[^\n]* )
    | \[ \s* (?P<name> [A-Za-z][A-Za-z0-9_]{0,39} ) \s+ "(?P<value> (?:\\.|[^"\\\n])* )" \s* \]
    | \{ (?P<comment> (?:\\.|[^\\}])* ) \}
    | (?P<open> \( )
    | (?P<close> \) )
    | (?P<number> [0-9]{1,3}\.{1,3} )
    | (?P<result> [0-9]{1,3}-[0-9]{1,3} | [*?] )
    | (?P<field> [a-p][0-9]{1,2} ) (?! [^\s(){}] )
    """,
    re.VERBOSE | re.MULTILINE | re.ASCII | re.DOTALL,
)
_ESCAPED: Final = {"n": "\n", "r": "\r"}


@dataclass(frozen=True)
class RecordedMove:
    """A move of a game.

    Attributes:
        field: where the marble was placed.
        comment: the comment after it.
        variations: lines of moves that could have been played in its place.
    """

    field: str
    comment: str = ""
    variations: tuple[tuple[RecordedMove, ...], ...] = ()


@dataclass
class TextGame:
    """A game, not played yet.

    Attributes:
        headers, comment, moves: as in the text, without escapes.
        result: the score, `*` or `?`.
        placed: marbles on the board before the first move, for the numbers of moves.
        number: of the line on which it begins.
        game: its place among the games, from 1.
    """

    headers: Mapping[str, str]
    comment: str
    moves: tuple[RecordedMove, ...]
    result: str
    placed: int
    number: int
    game: int


@dataclass
class _Open:
    """A line of moves that is being read."""

    moves: list[RecordedMove] = field(default_factory=list)
    comment: str = ""


def read_text(text: str) -> Iterator[TextGame]:
    """Yield the games of a text.

    Raises:
        NotationError: where the text is no game; the error says where.

    Examples:
        >>> [game.result for game in read_text('[Layout "A"] 1. a1 1-0\\n[Layout "B"] *')]
        ['1-0', '*']
        >>> list(read_text('[Layout "A"]\\n1. a1 (a2'))
        Traceback (most recent call last):
        ...
        kulami_solver.errors.NotationError: game 1: a variation is not closed: end it with )
    """
    headers: dict[str, str] = {}
    lines = [_Open()]
    first, number, game = 0, 1, 1
    place = 0
    counted = 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        number += text.count("\n", counted, place)
        counted = place
        if found is None:
            raise _what_is_wrong(text, place).at("text_line", number=number)
        place = found.end()
        kind = found.lastgroup
        if kind == "space":
            continue
        first = first or number
        if kind == "value":
            name = found["name"]
            if lines[0].moves or lines[0].comment or len(lines) > 1:
                raise NotationError("header_late", header=name).at("text_line", number=number)
            if name in headers:
                raise NotationError("header_twice", header=name).at("text_line", number=number)
            headers[name] = _unescaped(found["value"])
        elif kind == "result":
            if len(lines) > 1:
                raise NotationError("variation_open").at("text_line", number=number)
            line = lines[0]
            yield TextGame(headers, line.comment, tuple(line.moves), found[0], 0, first, game)
            headers, lines, first, game = {}, [_Open()], 0, game + 1
        else:
            _take(lines, kind, found, number)
    if len(lines) > 1:
        raise NotationError("variation_open").at("text_game", number=game)
    if first:
        raise NotationError("game_without_result", game=game)


def _take(lines: list[_Open], kind: str | None, found: re.Match[str], number: int) -> None:
    """Add a token to the line of moves that is open."""
    line = lines[-1]
    if kind == "field":
        line.moves.append(RecordedMove(found["field"]))
    elif kind == "comment":
        said = _unescaped(found["comment"])
        if line.moves:
            last = line.moves[-1]
            said = f"{last.comment} {said}" if last.comment else said
            line.moves[-1] = replace(last, comment=said)
        elif len(lines) > 1:
            raise NotationError("comment_before_variation").at("text_line", number=number)
        else:
            line.comment = f"{line.comment} {said}" if line.comment else said
    elif kind == "open":
        if not line.moves:
            raise NotationError("variation_before_moves").at("text_line", number=number)
        if len(lines) > DEEPEST:
            raise NotationError("variations_nested", most=DEEPEST).at("text_line", number=number)
        lines.append(_Open())
    elif kind == "close":
        if len(lines) == 1:
            raise NotationError("variation_not_begun").at("text_line", number=number)
        if not line.moves:
            raise NotationError("variation_without_moves").at("text_line", number=number)
        lines.pop()
        moves = lines[-1].moves
        moves[-1] = replace(moves[-1], variations=(*moves[-1].variations, tuple(line.moves)))


def _what_is_wrong(text: str, place: int) -> NotationError:
    if text[place] == "{":
        return NotationError("comment_open")
    line = text[place : text.find("\n", place) if "\n" in text[place:] else len(text)]
    if text[place] == "[":
        return NotationError("no_header", text=line)
    return NotationError("no_token", text=line.split()[0] if line.split() else line)


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _ESCAPED.get(found[1], found[1]), text, flags=re.DOTALL)


def _escaped(text: str, special: str) -> str:
    for mark in ("\\", special):
        text = text.replace(mark, "\\" + mark)
    return text.replace("\n", "\\n").replace("\r", "\\r")


def write_text(game: TextGame) -> str:
    """Return a game as text, without a line end behind it."""
    lines = [f'[{name} "{_escaped(value, chr(34))}"]' for name, value in game.headers.items()]
    words = [f"{{{_escaped(game.comment, '}')}}}"] if game.comment else []
    words += _words(game.moves, game.placed)
    return "\n".join([*lines, "", *_wrapped([*words, game.result])])


def _words(moves: tuple[RecordedMove, ...], placed: int) -> list[str]:
    """The words of a line of moves, the first of which follows `placed` marbles."""
    words: list[str] = []
    numbered = False
    for ply, move in enumerate(moves, placed):
        if ply % 2 == 0 or not numbered:
            words.append(f"{ply // 2 + 1}{'.' if ply % 2 == 0 else '...'}")
        numbered = True
        words.append(move.field)
        if move.comment:
            words.append(f"{{{_escaped(move.comment, '}')}}}")
        for variation in move.variations:
            inside = _words(variation, ply)
            words += ["(" + inside[0], *inside[1:-1], inside[-1] + ")"]
            numbered = False
    return words


def _wrapped(words: list[str]) -> Iterator[str]:
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > _WIDTH:
            yield line
            line = ""
        line += " " * bool(line) + word
    yield line
