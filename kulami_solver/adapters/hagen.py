"""Playing on the Kulami server of the FernUniversitaet in Hagen.

TCP, UTF-8, one message a line, which ends in `.` or `?`. What the server says (<) and is told (>):

    < Kulami?
    > neuerClient(A).
    < message(Willkommen A als Spieler 1).
    < spielparameter?                          asked of the first player
    > spielparameter(<board>, <level>).
    < farbe(b).                                own colour, b or r
    < name(B).                                 the other player
    < spielparameter(<board>, <level>, <colour>, <name>).     instead, to the second player
    < spielstart(b).                           who begins
    > zug(7, 2).                               column and row from 0
    < gültig(<board>).                         the move is taken
    < zug(<board>).                            the other player's, seen by the difference
    < ungültig(...).                           a refusal
    < spielende(22,35).                        points of red, of black

`message(...)` and `playermessage(...)` may come at any time, `spielaufgabe.` resigns, `neuesspiel.`
asks for another game. A board is 200 characters (see `notation.read_hagen`). Messages that are
not known are logged and ignored.

A fault is explained in a `message`, and recognised by the line after it:

    < message(ungültiges Spielfeld).           the board is refused, and asked for once more
    < spielparameter?
    < message(Spieler B spielt nicht mehr).    one of the two has resigned; the server hangs up
    < message(...).                            any other, before it hangs up: why it does
"""

from __future__ import annotations

import contextlib
import re
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from ..bots.protocol import Clock, Player
from ..errors import KulamiError, quoted, reason
from ..kulami.game import state_of
from ..kulami.game_record import GameRecord
from ..kulami.position.edition import Edition
from ..kulami.position.layout import Layout
from ..kulami.position.notation import read_hagen
from ..kulami.position.position import Position
from ..kulami.position.scoring import Scoring

_COLOURS: Final = {"b": "black", "r": "red"}
_LEVELS: Final = {Scoring.LEVEL0: "0", Scoring.LEVEL1: "1", Scoring.LEVEL2: "2"}
_MESSAGE: Final = re.compile(r"([^\W\d_]+)(?:\s*\((.*)\))?\s*[.?]?", re.DOTALL)
_LONGEST: Final = 1 << 16  # bytes of a message
_REFUSALS: Final = 3  # moves refused in a row, after which the bot resigns
_LEFT: Final = re.compile(r"\s*Spieler\b.*\bspielt nicht mehr\W*", re.DOTALL)

_OLD: Final = re.compile(rb"^(\s*(?:un)?g)[^\x00-\x7f](ltig\b)")  # in any encoding of one byte

GUELTIG: Final = "gültig"
UNGUELTIG: Final = "ungültig"


class HagenError(KulamiError):
    """The server cannot be reached, or sent a message that makes no sense."""


@dataclass
class Finished:
    """A game that has ended on the server.

    Attributes:
        colour: the bot's own.
        opponent: the other player's name.
        red, black: the points that the server gave; None if the game broke off.
        start: the empty board; None if the game broke off before there was one.
        scoring: the scoring.
        moves: all marbles.
        how: "played", "resigned" (by either), or "disconnected".
        reason: the server's last message, if it hung up.
    """

    colour: str
    opponent: str
    start: Position | None
    scoring: Scoring
    moves: list[str] = field(default_factory=list)
    red: int | None = None
    black: int | None = None
    how: str = "played"
    reason: str = ""

    def record(self) -> dict[str, Any]:
        """Return the known part of the game; a whole one is a record that `kulami replay` reads."""
        record: dict[str, Any] = {}
        if self.start is not None:
            record = GameRecord.played(self.start, self.moves, self.scoring).to_json()
        record["moves"] = self.moves
        record["score"] = {"red": self.red, "black": self.black}
        record |= {"colour": self.colour, "opponent": self.opponent, "how": self.how}
        if self.reason:
            record["reason"] = self.reason
        return record

    @property
    def agrees(self) -> bool | None:
        """Whether the rules here give the same points; None if there are no points to compare."""
        if self.start is None or self.red is None or self.how != "played":
            return None
        score = self.start.play_all(self.moves).score(self.scoring)
        return (score.red, score.black) == (self.red, self.black)


class Messages:
    """Puts messages together from pieces as the network delivers them.

    Examples:
        >>> messages = Messages()
        >>> messages.feed(b"Kulami?\\nmess"), messages.feed(b"age(Hallo).\\r\\n")
        ([('Kulami', None)], [('message', 'Hallo')])
    """

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, piece: bytes) -> list[tuple[str, str | None]]:
        """Return the messages that are complete now: a word, and the content of its parentheses.

        Raises:
            HagenError: if a message does not end.
        """
        *lines, self._rest = (self._rest + piece).split(b"\n")
        if len(self._rest) > _LONGEST:
            raise HagenError(f"the server sent {len(self._rest)} bytes without the end of a line")
        found = []
        for line in lines:
            try:
                said = line.decode().strip()
            except UnicodeDecodeError:  # a server of before October 2013
                said = _OLD.sub(rb"\1ue\2", line).decode("cp1252", "replace").strip()
            match = _MESSAGE.fullmatch(said)
            if match:
                found.append((match[1], match[2]))
            elif said:
                found.append(("", said))
        return found


class Client:
    """A bot's seat at the server.

    Args:
        player: the bot.
        name: the bot's name there.
        layout: proposed if the server asks; at most 10x10, of the standard panels.
        scoring: proposed if the server asks, level 0, 1 or 2.
        clock: how long the bot may think.
        games: how many to play, one after another; the bot's seed grows by one from game to game.
        note: called with each line of a log.
        options: of the rules, as for a position.

    Raises:
        KulamiError: if layout or scoring cannot be proposed there.

    Examples:
        >>> from kulami_solver.bots import Greedy
        >>> Client(Player(Greedy()), scoring=Scoring.CHAINS)
        Traceback (most recent call last):
        ...
        kulami_solver.adapters.hagen.HagenError: the server knows level 0, 1 and 2, not chains
    """

    def __init__(
        self,
        player: Player,
        name: str = "kulami_solver",
        layout: Layout | None = None,
        scoring: Scoring = Scoring.LEVEL0,
        clock: Clock | None = None,
        games: int = 1,
        note: Callable[[str], None] | None = None,
        **options: Any,
    ) -> None:
        if scoring not in _LEVELS:
            raise HagenError(f"the server knows level 0, 1 and 2, not {scoring.value}")
        if not re.fullmatch(r"\w[\w -]{0,39}", name):
            raise HagenError(f"{quoted(name)} is no name for the server: use letters and digits")
        self.name = name
        self._player = player
        self._proposed = (Position(layout or Layout.square()).hagen(), scoring)
        self._clock = clock or Clock()
        self._games = games
        self._edition = Edition(**options)
        self._note = note or (lambda _: None)
        self._socket: socket.socket | None = None
        self._messages = Messages()
        self._clear()

    def _clear(self) -> None:
        self._board: str | None = None
        self._scoring = Scoring.LEVEL0
        self._colour: str | None = None
        self._opponent = "?"
        self._start: Position | None = None
        self._position: Position | None = None
        self._moves: list[str] = []
        self._proposing = False  # whether a board is proposed on which no game has begun
        self._said = ""  # the server's last message, while it may explain a fault
        self._asked: str | None = None  # the field the server is to confirm
        self._refused: set[str] = set()

    def play(self, host: str, port: int, patience: float = 300.0) -> Iterator[Finished]:
        """Connect, play, and yield each game as it ends.

        Args:
            host, port: where the server listens.
            patience: seconds to wait for a message.

        Raises:
            HagenError: if the server cannot be reached, is silent for too long, refuses name or
                board, or sends boards that do not follow from the moves.
            BotError: if the bot has no move, after it has resigned; between two games, if its seed
                cannot be set.
        """
        played = 0
        try:
            self._socket = socket.create_connection((host, port), timeout=min(patience, 30.0))
        except OSError as error:
            raise HagenError(
                f"{host}:{port} cannot be reached: {reason(error)}; is the server running there?"
            ) from None
        try:
            self._socket.settimeout(patience)
            for word, content in self._heard(patience):
                finished = self._answer(word, content)
                if finished is None:
                    continue
                yield finished
                played += 1
                if finished.how == "disconnected" or played == self._games:
                    return
                self._clear()
                self._player.advance()
                with contextlib.suppress(HagenError):  # a hang-up is noticed by listening, too
                    self._say("neuesspiel.")
            yield self._finished("disconnected")
        except BaseException:
            if self._position is not None:
                with contextlib.suppress(HagenError):
                    self._say("spielaufgabe.")
            raise
        finally:
            self.close()

    def close(self) -> None:
        """Hang up."""
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.close()
            self._socket = None

    # Messages

    def _heard(self, patience: float) -> Iterator[tuple[str, str | None]]:
        """Yield messages until the server hangs up."""
        while self._socket is not None:
            begun = time.monotonic()
            try:
                piece = self._socket.recv(4096)
            except TimeoutError:
                waited = time.monotonic() - begun
                raise HagenError(f"the server has been silent for {waited:.0f} s") from None
            except OSError:
                return
            if not piece:
                return
            yield from self._messages.feed(piece)

    def _say(self, message: str) -> None:
        assert self._socket is not None
        self._note(f"> {message}")
        try:
            self._socket.sendall(f"{message}\n".encode())
        except OSError as error:
            raise HagenError(f"the server hung up: {reason(error)}") from None

    def _answer(self, word: str, content: str | None) -> Finished | None:
        """Do what a message asks for; return the game if it has ended."""
        self._note(f"< {word}" + ("" if content is None else f"({content})"))
        if word == "Kulami":
            self._say(f"neuerClient({self.name}).")
        elif word == "spielparameter" and not content:
            if self._proposing:
                why = f", saying '{self._said[:120]}'" if self._said else ""
                raise HagenError(
                    f"the server refuses the board proposed{why}; propose another layout (--layout)"
                )
            self._proposing, self._said = True, ""
            self._board, self._scoring = self._proposed
            self._say(f"spielparameter({self._board}, {_LEVELS[self._scoring]}).")
        elif word == "spielparameter":
            self._take_parameters(content or "")
        elif word == "farbe":
            self._colour = self._read_colour(content)
        elif word == "name":
            self._opponent = (content or "?").strip()
        elif word == "spielstart":
            return self._begin(self._read_colour(content))
        elif word in (GUELTIG, "gueltig"):
            self._take_board(content)
        elif word == "zug":
            self._take_board(content)
            return self._move()
        elif word in (UNGUELTIG, "ungueltig"):
            return self._refusal(content)
        elif word == "spielende":
            return self._end(content)
        elif word == "spielaufgabe":
            return self._finished("resigned")
        elif word == "message":
            return self._listen(content or "")
        elif word != "playermessage":
            self._said = content or word
            self._note(f"unknown message {quoted(word or content, 80)} ignored")
        return None

    def _read_colour(self, content: str | None) -> str:
        colour = _COLOURS.get((content or "").strip())
        if colour is None:
            raise HagenError(f"the server names the colour {quoted(content)}: it should be b or r")
        return colour

    def _take_parameters(self, content: str) -> None:
        parts = [part.strip() for part in content.split(",", 3)]
        if len(parts) < 4:
            raise HagenError(
                f"the server sent spielparameter with {len(parts)} parts: board, level, colour and "
                "name were to come"
            )
        self._board = parts[0]
        self._scoring = Scoring.parse(parts[1])
        self._colour = self._read_colour(parts[2])
        self._opponent = parts[3]

    def _listen(self, said: str) -> Finished | None:
        """Keep the server's message; return the game if a player has left it."""
        self._said = said.strip()
        playing = self._position is not None and not self._position.is_over
        return self._finished("resigned") if playing and _LEFT.fullmatch(said) else None

    # The game

    def _begin(self, first: str) -> Finished | None:
        if self._board is None or self._colour is None:
            raise HagenError("the server starts a game without a board or a colour")
        layout = read_hagen(self._board, turn=first, last=()).layout
        self._start = self._position = Position(layout, first, **self._edition)
        self._moves = []
        self._proposing, self._said = False, ""
        self._player.new_game()
        return self._move()

    def _move(self) -> Finished | None:
        """Make a move, if it is the bot's turn; return the game if it has to resign."""
        position = self._position
        if position is None or position.turn != self._colour or position.is_over:
            return None
        chosen = self._player.choose(state_of(position, self._scoring), self._clock)
        if chosen in self._refused:
            others = [name for name in position.legal_fields if name not in self._refused]
            if not others:
                return self._resign()
            chosen = others[0]
        self._asked = chosen
        column, row = position.layout.squares[position.layout.index(chosen)]
        self._say(f"zug({column}, {row}).")
        return None

    def _resign(self) -> Finished:
        # The server may answer by hanging up.
        with contextlib.suppress(HagenError):
            self._say("spielaufgabe.")
        return self._finished("resigned")

    def _take_board(self, content: str | None) -> None:
        """Follow a board that the server has sent."""
        position = self._position
        if position is None:
            raise HagenError("the server sends a board before the game has begun")
        board = read_hagen((content or "").strip(), turn=position.turn, last=())
        before = (position.red, position.black)
        if board.layout != position.layout or any(
            old & ~new for old, new in zip(before, (board.red, board.black), strict=True)
        ):
            raise HagenError("the server's board is not the one this game is played on")
        new = (board.red | board.black) & ~(position.red | position.black)
        if not new:
            return  # a repeated message
        own = board.red if position.turn == "red" else board.black
        if new.bit_count() != 1 or not own & new:
            raise HagenError(
                f"the server's board has {new.bit_count()} new marbles where one of "
                f"{position.turn} was to come"
            )
        (played,) = position.layout.names(new)
        self._position = position.play(played)
        self._moves.append(played)
        self._asked = None
        self._refused.clear()

    def _refusal(self, content: str | None) -> Finished | None:
        if self._asked is None:
            raise HagenError(f"the server refuses: {quoted(content or '', 120)}")
        self._note(f"the server refuses {self._asked}")
        self._refused.add(self._asked)
        self._asked = None
        return self._resign() if len(self._refused) >= _REFUSALS else self._move()

    def _end(self, content: str | None) -> Finished | None:
        if self._start is None:
            return None  # a message about a game given up before
        match = re.fullmatch(r"\s*(-?\d{1,4})\s*,\s*(-?\d{1,4})\s*", content or "", re.ASCII)
        over = self._position is not None and self._position.is_over
        finished = self._finished("played" if over else "resigned")
        if match:
            finished.red, finished.black = int(match[1]), int(match[2])
        return finished

    def _finished(self, how: str) -> Finished:
        start, self._position = self._start, None
        return Finished(
            colour=self._colour or "?",
            opponent=self._opponent,
            start=start,
            scoring=self._scoring,
            moves=self._moves,
            how=how,
            reason=self._said if how == "disconnected" else "",
        )
