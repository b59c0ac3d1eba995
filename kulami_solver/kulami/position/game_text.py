"""Reading and writing the text form of games; `game_record` says what it means.

text -> tokens -> headers, comments, moves with variations, result
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from ...core.notation import plain_signs
from ...errors import NotationError
from .edition import HEADERS

RESERVED: Final = ("Layout", "Start", "Scoring", "First", *HEADERS, "Forfeit")
"""Headers that describe the game itself."""

DEEPEST: Final = 32
"""Variations within variations are nested at most this deep."""

_WIDTH: Final = 80  # of lines of moves; a comment may make one longer

# Other dashes and a colon stand for the dash of a result; people write 31:27. Their programs make
# one sign of three dots and of 1/2, and curly quotation marks.
_RESULT: Final = (
    r"(?: [0-9]{1,3} [ \t]* [-:\u2013\u2014] [ \t]* [0-9]{1,3}"
    r" | (?: 1/2 | \xbd ) [ \t]* [-:\u2013\u2014] [ \t]* (?: 1/2 | \xbd ) )(?![-./0-9])"
)
_AROUND: Final = " \t\u201c\u201d\u201e"
_TOKEN: Final = re.compile(
    rf"""
      (?P<space> [\s,]+ | ^\#[^\n]*
      | (?: [-\u2013\u2014\u2026] | \.{{3}} ) \s* (?= [A-Pa-p][0-9] ) )
    | \[ \s* (?P<name> [A-Za-z][A-Za-z0-9_]{{0,39}} ) \s* (?: : \s* )?
      "(?P<value> (?:\\.|[^"\\\n])* )" \s* \]
    | \[ \s* (?P<bare_name> [A-Za-z][A-Za-z0-9_]{{0,39}} ) (?: [ \t]*: | [ \t] )
      (?P<bare> [^"\]\n]+ ) \]
    | \{{ (?P<comment> [^\\}}]* (?: \\. [^\\}}]* )* ) \}}?
    | ; (?P<rest> [^\n]* )
    | (?P<open> \( )
    | (?P<close> \) )
    | (?P<result> {_RESULT} | \* | (?<!\S) \? (?= \s* (?: $ | \[ ) ) )
    | (?P<number> [0-9]{{1,3}} (?: \.{{1,3}} | \u2026 | \) | (?= \s+ [A-Pa-p][0-9] ) ) )
    | (?P<field> [A-Pa-p][0-9]{{1,2}} ) (?! (?!\.{{3}}) [^\s(){{}},;!?$*\u2013\u2014\u2026-] )
    | (?P<mark> [!?]{{1,2}} | \$[0-9]{{1,3}} )
    """,
    re.VERBOSE | re.MULTILINE | re.ASCII | re.DOTALL,
)
# A line of its own: `Red: Ann`, or `Layout square`; what is said follows.
_TYPED_NAME: Final = re.compile(
    r"[ \t]*(?:([A-Za-z][A-Za-z0-9_]{0,39})[ \t]*:|(Layout)(?=[ \t]+\S+[ \t]*$))",
    re.MULTILINE | re.IGNORECASE,
)
_TYPED_HEADER: Final = re.compile(rf"{_TYPED_NAME.pattern}([^\n]*)", _TYPED_NAME.flags)
# A title, names, a remark: a line with a word, a year or a date, and without anything like a move.
_MOVE_LIKE: Final = re.compile(r"\b[A-Za-z][0-9]")
_WORD_LIKE: Final = re.compile(r"(?=[^\W\d_]{2}|[0-9]{4}|[0-9][./][0-9])")
_PROSE: Final = re.compile(rf"(?! [ \t]* (?: [][{{}}();$*?\#] | {_RESULT} ) ) [^\n]+", re.VERBOSE)
_NUMBERED: Final = re.compile(r"[ \t]*[0-9]{1,3}[.)]")
_HEADER_LINE: Final = re.compile(r"[ \t]*(?:\[[ \t]*[A-Za-z]|(?:Layout|Start)\b)", re.IGNORECASE)
_NAMES: Final = {
    **{name.lower(): name for name in (*RESERVED, "Red", "Black")},
    **dict.fromkeys(("rot", "rouge", "rojo", "rood"), "Red"),
    **dict.fromkeys(("schwarz", "noir", "negro", "zwart"), "Black"),
    **dict.fromkeys(("auslage", "brett", "plateau", "tablero", "bord"), "Layout"),
    "wertung": "Scoring",
    "beginnt": "First",
}
# What is copied exactly, quotation marks and comments, and what is not.
_OUTSIDE: Final = re.compile(r'"(?:\\.|[^"\\\n])*|\{[^\\}]*(?:\\.[^\\}]*)*|[^"{]+', re.DOTALL)
_QUOTED_LINE: Final = re.compile("^[> \t\xa0\u200b]*>", re.MULTILINE)
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
        result: the score, `*` or `?`; also `1/2-1/2`.
        placed: marbles on the board before the first move, for the numbers of moves.
        number: of the line on which it begins.
        game: its place among the games, from 1.
        fault: why it cannot be read, if it cannot.
    """

    headers: dict[str, str] = field(default_factory=dict)
    comment: str = ""
    moves: tuple[RecordedMove, ...] = ()
    result: str = "?"
    placed: int = 0
    number: int = 1
    game: int = 1
    fault: NotationError | None = None


def read_text(text: str) -> Iterator[TextGame]:
    """Yield the games of a text; one that cannot be read has a `fault`, and the next one follows.

    A game ends with its result, or before the headers of the next. Lines without anything like a
    move, such as a title, are skipped before a game, and are comments in it.

    Examples:
        >>> [game.result for game in read_text('[Layout "A"] 1. a1! 1-0\\nLayout: B\\n1. a1')]
        ['1-0', '?']
        >>> str(next(read_text('[Layout "A"]\\n1. a1 (a2')).fault)
        'game 1: a variation is not closed: end it with )'
    """
    reader = _Reader(text)
    while (game := reader.game()) is not None:
        yield game
    if not reader.games and reader.skipped is not None:
        yield TextGame(fault=reader.skipped)


class OpenLine:
    """A line of moves that is being read: of each move the field, comments and variations.

    What stands before the first move is kept as if it stood on a move before it.
    """

    def __init__(self) -> None:
        self.moves: list[tuple[str, list[str], list[tuple[RecordedMove, ...]]]] = [("", [], [])]

    def __bool__(self) -> bool:
        return len(self.moves) > 1

    def add(self, name: str) -> None:
        """Add a move."""
        self.moves.append((name, [], []))

    def say(self, said: str) -> None:
        """Add to the comment on the last move, or to the one before the first."""
        self.moves[-1][1].append(said)

    def read(self) -> tuple[str, tuple[RecordedMove, ...]]:
        """Return the comment before the first move, and the moves."""
        first, *moves = (
            RecordedMove(name, " ".join(filter(None, said)) if said else "", tuple(variations))
            for name, said, variations in self.moves
        )
        return first.comment, tuple(moves)


class _Reader:
    """A text, read from its start.

    Attributes:
        place: of the next character.
        line: the number of its line.
        games: the number of games so far.
        skipped: what is wrong with the first line that was skipped, if there is no game at all.
        unclosed: the place of a comment without an end: those after it have none either.
        scanned: the end of the last line that was looked through for prose, which is done once;
            `last_move` and `last_word` are the places of the last such in it.
    """

    def __init__(self, text: str) -> None:
        text = _QUOTED_LINE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
        self.text = _OUTSIDE.sub(
            lambda found: found[0] if found[0][0] in '"{' else plain_signs(found[0]), text
        )
        self.place = 0
        self.unclosed = len(self.text)
        self.scanned = self.last_move = self.last_word = -1
        self.line = 1
        self.games = 0
        self.skipped: NotationError | None = None

    def game(self) -> TextGame | None:
        """Return the next game; None at the end."""
        game = TextGame(number=0, game=self.games + 1)
        lines = [OpenLine()]
        try:
            self._read(game, lines)
        except NotationError as error:
            game.number = game.number or self.line
            game.fault = error
            self._pass_over(bool(lines[0]))
        if not game.number:
            return None
        self.games += 1
        game.comment, game.moves = lines[0].read()
        return game

    def _read(self, game: TextGame, lines: list[OpenLine]) -> None:
        """Read tokens until the game ends."""
        begins_line = True
        while self.place < len(self.text):
            found = self._header_or_prose(bool(game.number), begins_line)
            kind = found and "prose"
            if found is None:
                found = self._token()
                if found is None and self.text[self.place] == "[" and len(lines) == 1 and lines[0]:
                    return  # the next game begins, with a header that is none
                if found is None:
                    raise self._what_is_wrong()
                kind = found.lastgroup
            elif found.re is _TYPED_HEADER:
                kind = "bare"
            if kind in ("value", "bare") and lines[0]:
                if len(lines) > 1:
                    raise NotationError("variation_open").at("text_line", number=self.line)
                return  # the next game begins
            begins_line = kind == "space" and "\n" in found[0]
            if kind not in ("space", "prose", "rest"):
                game.number = game.number or self.line
            if kind == "result":
                if len(lines) > 1:
                    raise NotationError("variation_open").at("text_line", number=self.line)
                game.result = re.sub("[:\u2013\u2014]", "-", "".join(found[0].split()))
                game.result = game.result.replace("\xbd", "1/2")
                self._go(found.end())
                return
            try:
                if kind in ("value", "bare"):
                    _add_header(game.headers, found)
                elif game.number:
                    _take(lines, kind, found)
                elif kind == "prose":
                    self.skipped = self.skipped or self._what_is_wrong()
            except NotationError as error:
                raise error.at("text_line", number=self.line) from None
            self._go(found.end())
        if len(lines) > 1:
            raise NotationError("variation_open").at("text_game", number=game.game)

    def _token(self) -> re.Match[str] | None:
        if self.place > self.unclosed and self.text[self.place] == "{":
            return None
        found = _TOKEN.match(self.text, self.place)
        if found is not None and found.end("comment") == found.end():
            self.unclosed = self.place
            return None
        return found

    def _header_or_prose(self, begun: bool, begins_line: bool) -> re.Match[str] | None:
        if not begins_line and begun:
            return None
        self._scan()
        name = _TYPED_NAME.match(self.text, self.place) if begins_line else None
        if name and ((name[1] or name[2]).lower() in _NAMES or self.last_move < name.end()):
            typed = _TYPED_HEADER.match(self.text, self.place)
            if typed and _said(typed) is not None:
                return typed
        if begun and _NUMBERED.match(self.text, self.place):
            return None  # moves, however wrong they are
        if self.last_move >= self.place or self.last_word < self.place:
            return None
        return _PROSE.match(self.text, self.place)

    def _scan(self) -> None:
        """Look for the last move and the last word in this line, unless that is done."""
        if self.place > self.scanned:
            end = self.text.find("\n", self.place)
            self.scanned = end if end >= 0 else len(self.text)
            self.last_move, self.last_word = (
                max(
                    (one.start() for one in like.finditer(self.text, self.place, self.scanned)),
                    default=-1,
                )
                for like in (_MOVE_LIKE, _WORD_LIKE)
            )

    def _what_is_wrong(self) -> NotationError:
        end = self.text.find("\n", self.place)
        line = self.text[self.place : end if end >= 0 else len(self.text)]
        if line.startswith("{"):
            error = NotationError("comment_open")
        elif line.startswith("["):
            error = NotationError("no_header", text=line)
        else:
            error = NotationError("no_token", text=line.split()[0] if line.split() else line)
        return error.at("text_line", number=self.line)

    def _go(self, place: int) -> None:
        self.line += self.text.count("\n", self.place, place)
        self.place = place

    def _pass_over(self, has_moves: bool) -> None:
        """Go on to the line with the first header of the next game."""
        while self.place < len(self.text):
            end = self.text.find("\n", self.place)
            line = self.text[self.place : end if end >= 0 else len(self.text)]
            has_moves = has_moves or not line.lstrip().startswith("[")
            self._go(end + 1 if end >= 0 else len(self.text))
            if has_moves and _HEADER_LINE.match(self.text, self.place):
                return


def header_name(given: str) -> str:
    """Return a header's name as it is written: names that mean something, in one spelling.

    Examples:
        >>> header_name("red"), header_name("event")
        ('Red', 'event')
    """
    return _NAMES.get(given.lower(), given)


def _add_header(headers: dict[str, str], found: re.Match[str]) -> None:
    if found.re is _TYPED_HEADER:
        name, value = found[1] or found[2], (_said(found) or "").strip(_AROUND)
    else:
        name = found["name"] or found["bare_name"]
        value = _unescaped(found["value"]) if found["name"] else found["bare"].strip(_AROUND)
    name = header_name(name)
    if name in headers:
        raise NotationError("header_twice", header=name)
    said = _NAMES.get(value.lower(), "").lower() if name in ("First", "Forfeit") else ""
    headers[name] = said if said in ("red", "black") else value


def _said(typed: re.Match[str]) -> str | None:
    """The value of a typed header, which may stand in quotation marks; None if it has others."""
    value: str = typed[3].strip(" \t").removeprefix('"').removesuffix('"')
    return None if '"' in value else value


def _take(lines: list[OpenLine], kind: str | None, found: re.Match[str]) -> None:
    """Add a token to the line of moves that is open."""
    line = lines[-1]
    if kind == "field":
        line.add(found["field"].lower())
    elif kind in ("comment", "rest", "prose", "mark"):
        if len(lines) > 1 and not line:
            raise NotationError("comment_before_variation")
        line.say(_unescaped(found[kind]) if kind == "comment" else found[0].lstrip("; \t").rstrip())
    elif kind == "open":
        if not line:
            raise NotationError("variation_before_moves")
        if len(lines) > DEEPEST:
            raise NotationError("variations_nested", most=DEEPEST)
        lines.append(OpenLine())
    elif kind == "close":
        if len(lines) == 1:
            raise NotationError("variation_not_begun")
        if not line:
            raise NotationError("variation_without_moves")
        lines.pop()
        lines[-1].moves[-1][2].append(line.read()[1])


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
