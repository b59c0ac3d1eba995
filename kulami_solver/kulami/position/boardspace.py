"""Reading the games of boardspace.net, in its own kind of SGF.

    (;
    GM[Kulami]VV[1]
    SU[Kulami 2 1234 102]                   the board, players, key, revision
    P0[id "Ann"]
    P1[id "Ben"]
    ; P0[0 Start P0]
    ; P0[1 Dropb W D 4]TM[3261]             W is red, B is black; rows count from the bottom
    ; P0[2 Done]
    )

The key stands for the board: `board_number`. What is read here is what the program that writes such
games says of them; where it does not say what a command means, the game is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ...errors import NotationError, quoted
from .game_text import OpenLine, TextGame
from .layout import published_layouts

_BOARDS: Final = 1000
_HEIGHT: Final = 8
_FIRST_REVISION: Final = 101  # before it, a board was not drawn from the list
_COLOURS: Final = {"w": "red", "b": "black"}
_OTHER: Final = {"red": "black", "black": "red"}

#: Properties of the game that become headers.
_HEADERS: Final = {"DT": "Date", "GN": "Name", "RE": "Result"}

_TOKEN: Final = re.compile(
    r"\s+|(?P<sign>[();])|(?P<name>\w+)|\[(?P<value>(?:\\.|[^\]\\])*)(?P<end>\]?)|.",
    re.ASCII | re.DOTALL,
)


def board_number(key: int) -> int:
    """Return the number of the board that a game's key stands for, as Java draws it.

    Args:
        key: a whole number; as in Java, its last 48 bits count.

    Examples:
        >>> board_number(0), board_number(1234), board_number(-1)
        (360, 628, 913)
    """
    seed = (key ^ 0x5DEECE66D) & ((1 << 48) - 1)
    while True:
        seed = (seed * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
        drawn = seed >> 17
        if drawn - drawn % _BOARDS + _BOARDS <= 1 << 31:
            return drawn % _BOARDS


def is_boardspace(line: str) -> bool:
    """Whether a file whose first line with content is this one has games of BoardSpace.

    >>> is_boardspace("(;"), is_boardspace("(1. d4)")
    (True, False)
    """
    return re.match(r"\s*\(\s*(;|$)", line) is not None


def read_boardspace(text: str) -> Iterator[TextGame]:
    """Yield the games of a text; one that cannot be read has a `fault`, and the next one follows.

    Examples:
        >>> game = next(read_boardspace('''(; SU[Kulami 2 1234 102] P0[id "Ann"] P1[id "Ben"]
        ...     ; P0[0 Start P0] ; P0[1 Dropb W D 4]TM[10] ; P0[2 Done] ; P1[3 Dropb B D 1])'''))
        >>> [move.field for move in game.moves], game.headers["Red"], game.headers["First"]
        (['d5', 'd8'], 'Ann', 'red')
        >>> str(next(read_boardspace("(; SU[Kulami-R 2 1234 102])")).fault)
        "game 1: the board 'Kulami-R' is not known: only Kulami of 8x8 fields is"
    """
    for number, (line, tree) in enumerate(_trees(text), 1):
        game = TextGame(number=line, game=number)
        try:
            _GameReader(game).read(tree)
        except NotationError as error:
            game.fault = error.at("text_game", number=number)
        yield game


def _trees(text: str) -> Iterator[tuple[int, str]]:
    """The text of each game, with the number of the line on which it begins."""
    begin = depth = counted = 0
    line = 1
    for found in _TOKEN.finditer(text):
        if found["sign"] == "(":
            begin = begin if depth else found.start()
            depth += 1
        elif found["sign"] == ")" and depth:
            depth -= 1
        else:
            continue
        if not depth:
            line += text.count("\n", counted, begin)
            counted = begin
            yield line, text[begin : found.end()]
    if depth:
        yield line + text.count("\n", counted, begin), text[begin:]


class _GameReader:
    """A game, command by command.

    Attributes:
        names: of the players.
        red: the player who has red, after a swap of colours too.
        pending: whether the last marble may still be picked up again.
    """

    def __init__(self, game: TextGame) -> None:
        self.game = game
        self.line = OpenLine()
        self.names: dict[str, str] = {}
        self.red = "P0"
        self.colours: list[str] = []
        self.pending = False
        self.resigned: str | None = None
        self.set_up = False

    def read(self, tree: str) -> None:
        """Read the text of a game: of lines that branch off, only the first counts."""
        name: str | None = None
        for found in _TOKEN.finditer(tree):
            if found[0].isspace():
                continue
            if found["end"]:
                value = re.sub(r"\\(.)", r"\1", found["value"], flags=re.DOTALL).strip()
                self._property(name or "", value)
            elif name or not (found["sign"] or found["name"]):
                word = name or found[0].split()[0]
                raise NotationError(f"{quoted(word)} is neither NAME[value] nor one of ( ; )")
            if found["sign"] == ")":
                break
            name = found["name"]
        if not self.set_up:
            raise NotationError("SU[Kulami 2 KEY REVISION] is missing, which names the board")
        self._finish()

    def _finish(self) -> None:
        first = self.colours[0] if self.colours else "red"
        for number, colour in enumerate(self.colours):
            due = first if number % 2 == 0 else _OTHER[first]
            if colour != due:
                raise NotationError(f"marble {number + 1} is {colour}: it is {due}'s turn")
        headers = self.game.headers
        headers["First"] = first
        black = "P1" if self.red == "P0" else "P0"
        for header, player in (("Red", self.red), ("Black", black)):
            if player in self.names:
                headers[header] = self.names[player]
        if self.resigned is not None:
            headers["Forfeit"] = "red" if self.resigned == self.red else "black"
        self.game.comment, self.game.moves = self.line.read()

    def _property(self, name: str, value: str) -> None:
        if name == "SU":
            self._set_up(value.split())
        elif name in ("P0", "P1"):
            self._player(name, value)
        elif name in _HEADERS and value:
            self.game.headers.setdefault(_HEADERS[name], " ".join(value.split()))
        elif name == "C" and value:
            self.line.say(value)

    def _set_up(self, words: list[str]) -> None:
        if not words or words[0].lower() != "kulami":
            given = quoted(words[0] if words else "")
            raise NotationError(f"the board {given} is not known: only Kulami of 8x8 fields is")
        if len(words) < 4 or not all(re.fullmatch("-?[0-9]{1,19}", word) for word in words[1:4]):
            raise NotationError("SU has no players, key and revision: SU[Kulami 2 1234 102]")
        if int(words[3]) < _FIRST_REVISION:
            raise NotationError(
                f"the board of revision {words[3]} is not known: from {_FIRST_REVISION} on the key "
                "names one of 1,000"
            )
        board = published_layouts()[f"boardspace-{board_number(int(words[2]))}"]
        self.game.headers["Layout"] = board
        if words[3] == str(_FIRST_REVISION):
            self.game.headers["Marbles"] = "32"
        self.set_up = True

    def _player(self, player: str, value: str) -> None:
        words = value.split()
        if words[:1] == ["id"]:
            self.names[player] = value[2:].strip().strip('"')
            return
        if not words or not words[0].isdecimal():
            return  # what else is told of a player
        command, given = " ".join(words[1:2]).lower(), words[2:]
        if command == "dropb" and len(given) == 3 and given[0].lower() in _COLOURS:
            self.line.add(_field(*given[1:]))
            self.colours.append(_COLOURS[given[0].lower()])
            self.pending = True
        elif command == "pickb" and len(given) == 2:
            if not self.pending or self.line.moves[-1][0] != _field(*given):
                raise NotationError(f"{quoted(value)} takes a marble that has been played")
            del self.line.moves[-1], self.colours[-1]
            self.pending = False
        elif command == "done":
            self.pending = False
        elif command == "swap":
            self.red = "P1" if self.red == "P0" else "P0"
        elif command == "resign":
            self.resigned = None if self.resigned else player  # once more takes it back
        elif command not in ("start", "pick", "drop"):
            raise NotationError(f"it is not known what {quoted(value)} means")


def _field(column: str, row: str) -> str:
    if not re.fullmatch("[A-Ha-h]", column) or not re.fullmatch("[1-8]", row):
        raise NotationError(f"{quoted(f'{column} {row}')} is no field: A 1 to H 8")
    return f"{column.lower()}{_HEIGHT + 1 - int(row)}"
