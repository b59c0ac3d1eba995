"""Positions of Malawi: where the figures stand, how many beads each carries, who is to move.

A position is an immutable value. In memory it has the form of the compiled rules, seen by the side
to move, and the name of that side:

    own, other    the squares of the figures, one bit each
    beads         the beads on every square, one byte each
    turn          0 red, 1 black

The rules themselves are compiled; see `kulami_solver.malawi.rules`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, final

from ..core.game_records import positions_after
from ..core.notation import other_side, parse_turn, so_many
from ..errors import BoardError, IllegalMoveError, Phrase, PositionError, checked_kind, quoted
from .board import KINDS, Board, Geometry, Turn, geometry_of, members
from .notation import MAX_STACK, Placement, read_mfn, write_mfn

View = tuple[int, int, bytes]
"""A position for the compiled rules: own figures, other figures, beads of every square."""

_SIDES = ("red", "black")
_new = object.__new__


@final
class Position:
    """A position of Malawi: an immutable value that can be compared, hashed, copied and pickled.

    `Position.start` and `Position.from_mfn` make one; this is for programs that hold masks.

    Args:
        placement: the figures with their beads, and the side to move.

    Raises:
        BoardError: if there is no board of that size.
        PositionError: if these figures and beads cannot come up in a game.

    Examples:
        >>> from kulami_solver.malawi import Board, Position
        >>> start = Position.start(Board(3, 4))
        >>> start.mfn(), len(start.legal_turns)
        ('b2b2b2/.../.../r2r2r2 r', 6)
        >>> after = start.play("a4-a2")
        >>> after.turn, after.mfn()
        ('black', 'b2b2b2/r2../.../.r2r2 b')
    """

    __slots__ = ("_beads", "_geometry", "_other", "_own", "_turn", "_turns")

    _geometry: Geometry
    _own: int
    _other: int
    _beads: bytes
    _turn: int
    _turns: dict[Turn, tuple[int, int, int]] | None  # the legal turns, after their first use

    def __init__(self, placement: Placement) -> None:
        meant = "a position is made of a Placement, as by Position.start and Position.from_mfn"
        checked_kind(placement, Placement, meant, PositionError)
        geometry = geometry_of(placement.columns, placement.rows)
        view = (placement.red, placement.black, placement.beads)
        side = _SIDES.index(parse_turn(placement.turn))
        _refuse_impossible(geometry.board, placement)
        if side:
            view = geometry.rules.turned(*view)
        self._geometry = geometry
        self._own, self._other, self._beads = view
        self._turn = side
        self._turns = None

    @classmethod
    def start(cls, board: Board) -> Position:
        """Return the position a game on this board begins with: red is to move.

        Examples:
            >>> Position.start(Board(2, 3, beads=1))
            Position.from_mfn('b1b1/../r1r1 r')
        """
        checked_kind(board, Board, "a position starts from a Board", PositionError)
        home = (1 << board.columns) - 1
        full = bytes([board.beads] * board.columns)
        beads = full + bytes(board.squares - 2 * board.columns) + full
        red = home << board.squares - board.columns
        return cls(Placement(board.columns, board.rows, red, home, beads, "red"))

    @classmethod
    def from_mfn(cls, text: str) -> Position:
        """Return the position an MFN line describes.

        Raises:
            NotationError: if the text is malformed.
            BoardError: if there is no board of that size.
            PositionError: if it describes no position.

        Examples:
            >>> Position.from_mfn("b0b2/r1./.r0 b").legal_turns
            (Turn.parse('b1:a1'),)
            >>> Position.from_mfn("b0b2/r1./.. b")
            Traceback (most recent call last):
            ...
            kulami_solver.errors.PositionError: red has 1 figure: each side has 2 on a board of \
2x3, one for each column
        """
        return cls(read_mfn(text))

    @classmethod
    def seen(cls, board: Board, turn: str, view: View) -> Position:
        """Return the position of a view, the inverse of the property `view`.

        Raises:
            NotationError: if `turn` is no colour.
            PositionError: if these figures and beads cannot come up in a game.

        Examples:
            >>> position = Position.start(Board(3, 4)).play("a4-a2")
            >>> Position.seen(Board(3, 4), "black", position.view) == position
            True
        """
        checked_kind(board, Board, "a position is seen on a Board", PositionError)
        if not isinstance(view, tuple) or len(view) != 3:
            raise PositionError(f"a view is (own, other, beads), not {quoted(view)}")
        own, other, beads = view
        seen = Placement(board.columns, board.rows, own, other, beads, parse_turn(turn))
        if seen.turn == "red":
            return cls(seen)
        _refuse_off_board(board, seen)
        rules = geometry_of(board.columns, board.rows).rules
        red, black, beads = rules.turned(own, other, beads)
        return cls(Placement(board.columns, board.rows, red, black, beads, "black"))

    # Its parts

    @property
    def columns(self) -> int:
        """How many columns the board has, and figures each side."""
        return self._geometry.board.columns

    @property
    def rows(self) -> int:
        """How many rows the board has."""
        return self._geometry.board.rows

    @property
    def turn(self) -> str:
        """The side to move, "red" or "black", also when the game is over."""
        return _SIDES[self._turn]

    @property
    def view(self) -> View:
        """The position in the form of the compiled rules, seen by the side to move."""
        return self._own, self._other, self._beads

    @property
    def placement(self) -> Placement:
        """The figures and beads on the squares as they are named, and the side to move."""
        red, black, beads = self._own, self._other, self._beads
        if self._turn:
            red, black, beads = self._geometry.rules.turned(red, black, beads)
        return Placement(self.columns, self.rows, red, black, beads, self.turn)

    @property
    def beads(self) -> dict[str, int]:
        """The beads each side still has.

        Examples:
            >>> Position.from_mfn("b0b2/r1./.r0 b").beads
            {'red': 1, 'black': 2}
        """
        own, other = (sum(self._beads[square] for square in members(s)) for s in self.view[:2])
        return {"red": other, "black": own} if self._turn else {"red": own, "black": other}

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._end != 0

    @property
    def winner(self) -> str | None:
        """The side that has won, None while the game goes on.

        Examples:
            >>> Position.from_mfn("r1b2/../b0r1 r").winner
            'red'
            >>> Position.from_mfn("r1b2/../b0r1 b").winner is None
            True
        """
        if not self._end:
            return None
        return _SIDES[self._turn if self._end > 0 else 1 - self._turn]

    @property
    def _end(self) -> int:
        return self._geometry.rules.end(self._own, self._other, self._beads)

    # Turns

    @property
    def legal_turns(self) -> tuple[Turn, ...]:
        """The legal turns: figure by figure its hits, moves and redistributions; none at the end.

        Examples:
            >>> [str(turn) for turn in Position.start(Board(2, 4)).legal_turns]
            ['a4-a2', 'a4:b4', 'b4-b2', 'b4:a4']
        """
        return tuple(self._legal)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Another name of `legal_turns`."""
        return self.legal_turns

    @property
    def _legal(self) -> dict[Turn, tuple[int, int, int]]:
        if self._turns is None:
            found = [] if self._end else self._geometry.rules.turns(*self.view)
            self._turns = {self._named(*packed): packed for packed in found}
        return self._turns

    def _named(self, kind: int, square: int, to: int) -> Turn:
        """Return a turn of the compiled rules with the names of its squares."""
        names = self._geometry.names[self._turn]
        targets = [names[target] for target in members(to)]
        if self._turn and len(targets) > 1:
            targets.sort(key=self._geometry.names[0].index)
        return Turn(KINDS[kind], names[square], tuple(targets))

    def play(self, turn: Turn | str) -> Position:
        """Return the position after a turn of the side to move.

        Args:
            turn: a turn or its text: "a4-a2", "a4xa1", "a4:b4,c4".

        Raises:
            NotationError: if the text is no turn.
            IllegalMoveError: if it is not legal; the message says why.

        Examples:
            >>> start = Position.start(Board(3, 4))
            >>> start.play("a4:b4,c4").mfn()
            'b2b2b2/.../.../r0r3r3 b'
            >>> start.play("a4-a3")
            Traceback (most recent call last):
            ...
            kulami_solver.errors.IllegalMoveError: red cannot play a4-a3: the figure on a4 has \
2 beads, so it goes exactly 2, and a3 is 1 away
        """
        made = turn if isinstance(turn, Turn) else Turn.parse(turn)
        packed = self._legal.get(made)
        if packed is None:
            raise self._refusal(made)
        after = _new(Position)
        after._geometry = self._geometry
        after._own, after._other, after._beads = self._geometry.rules.play(*self.view, *packed)
        after._turn = 1 - self._turn
        after._turns = None
        return after

    def play_all(self, turns: str | Iterable[Turn | str]) -> Position:
        """Return the position after a list of turns: text with spaces between, or an iterable.

        Raises:
            NotationError: if one is no turn.
            IllegalMoveError: if one is not legal; the message counts which.

        Examples:
            >>> Position.start(Board(2, 4)).play_all("a4-a2 a1:b1").mfn()
            'b0b3/r2./../.r2 r'
            >>> Position.start(Board(2, 4)).play_all("a4-a2 a4-a2")
            Traceback (most recent call last):
            ...
            kulami_solver.errors.IllegalMoveError: turn 2: black cannot play a4-a2: there is no \
figure on a4
        """
        return positions_after(self, turns, "played_turn")[-1]

    def _refusal(self, turn: Turn) -> IllegalMoveError:
        if self.is_over:
            return IllegalMoveError("malawi_over", move=str(turn), verdict=self._verdict())
        return _refusal(self._geometry.board, self.placement, turn)

    def _verdict(self) -> Phrase:
        return Phrase("malawi_won" if self._end > 0 else "malawi_lost", side=self.turn)

    # Text

    def mfn(self) -> str:
        """Return the position as an MFN line.

        Examples:
            >>> Position.start(Board(2, 3)).mfn()
            'b2b2/../r2r2 r'
        """
        return write_mfn(self.placement)

    def text(self, *, ascii_only: bool = False) -> str:
        """Return the board as text: figures with their beads, and how the game stands.

        Args:
            ascii_only: draw the lines with `+`, `-` and `|`.

        Examples:
            >>> print(Position.start(Board(2, 3)).text(ascii_only=True))
                 a   b
               +---+---+
             1 |b2 |b2 |
               +---+---+
             2 |   |   |
               +---+---+
             3 |r2 |r2 |
               +---+---+
            red to move, 4 turns; beads red 4, black 4
        """
        from .render import board_text

        return board_text(self, ascii_only=ascii_only)

    def svg(self) -> str:
        """Return the board as an SVG picture.

        Examples:
            >>> Position.start(Board(2, 3)).svg()[:4]
            '<svg'
        """
        from ..drawing.svg import picture_svg
        from .render import picture_of

        return picture_svg(picture_of(self))

    def _repr_svg_(self) -> str:
        return self.svg()

    def standing(self) -> str:
        """Return in a few words how the game stands.

        Examples:
            >>> Position.from_mfn("b0b0/r1./.r0 b").standing()
            'game over, black has lost: it has no bead left'
        """
        if self.is_over:
            return f"game over, {self._verdict()}"
        turns = so_many(len(self.legal_turns), "turn")
        red, black = self.beads["red"], self.beads["black"]
        return f"{self.turn} to move, {turns}; beads red {red}, black {black}"

    # Methods of a value

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Position.from_mfn({self.mfn()!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self is other or (
            self.view == other.view
            and self._turn == other._turn
            and self._geometry.board == other._geometry.board
        )

    def __hash__(self) -> int:
        return hash((self._own, self._other, self._beads, self._turn))

    def __copy__(self) -> Position:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Position:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Position, (self.placement,)


def checked_position(position: Position) -> Position:
    """Return `position` if it is one of Malawi; raise a `PositionError` otherwise.

    Examples:
        >>> checked_position("a4-a2")
        Traceback (most recent call last):
        ...
        kulami_solver.errors.PositionError: positions of Malawi are its Positions, not 'a4-a2'
    """
    return checked_kind(position, Position, "positions of Malawi are its Positions", PositionError)


def _refuse_off_board(board: Board, placement: Placement) -> None:
    """Refuse figures and beads that do not lie on the squares of a board."""
    for name, mask in (("red", placement.red), ("black", placement.black)):
        if not isinstance(mask, int):
            raise PositionError(f"{name} is {quoted(mask)}: give a mask with a bit for each figure")
    if not isinstance(placement.beads, bytes):
        raise PositionError(f"beads are {quoted(placement.beads)}: give bytes, one a square")
    occupied = placement.red | placement.black
    if occupied < 0 or occupied >> board.squares or placement.red & placement.black:
        raise PositionError("a figure is off the board, or two are on one square: count again")
    if len(placement.beads) != board.squares:
        raise PositionError(
            f"beads of {len(placement.beads)} squares on a board of {board.squares}: give a byte "
            "for each"
        )
    for square, beads in enumerate(placement.beads):
        if beads and not occupied >> square & 1:
            raise PositionError("beads lie on an empty square: put them on a figure")


def _refuse_impossible(board: Board, placement: Placement) -> None:
    """Refuse figures and beads that cannot come up in any game."""
    _refuse_off_board(board, placement)
    masks = {"red": placement.red, "black": placement.black}
    totals = {}
    for side, mask in masks.items():
        count = mask.bit_count()
        if count != board.columns:
            raise PositionError(
                "figures_of_side", side=side, count=count, columns=board.columns, board=board
            )
        totals[side] = sum(placement.beads[square] for square in members(mask))
        if totals[side] > MAX_STACK:
            raise PositionError("beads_of_side", side=side, count=totals[side], most=MAX_STACK)
    turn = parse_turn(placement.turn)
    waiting = other_side(turn)
    if not totals[waiting]:
        raise PositionError("over_before", other=waiting, side=turn)


def _refusal(board: Board, placement: Placement, turn: Turn) -> IllegalMoveError:
    """Return the error that says why a turn is not legal, in a position that is not over.

    It names the figure, the rule and the squares.
    """
    side, other = placement.turn, other_side(placement.turn)
    own, theirs = placement.red, placement.black
    if side == "black":
        own, theirs = theirs, own
    asked = {"side": side, "move": str(turn)}
    try:
        square, *targets = (board.number(name) for name in (turn.figure, *turn.targets))
    except BoardError as error:
        return IllegalMoveError(error).at("cannot_play", **asked)
    figure, target, goal = turn.figure, turn.targets[0], targets[0]
    beads = placement.beads[square]
    if theirs >> square & 1:
        return IllegalMoveError("others_figure", **asked, figure=figure, other=other)
    if not own >> square & 1:
        return IllegalMoveError("no_figure", **asked, figure=figure)
    if not beads:
        return IllegalMoveError("no_bead", **asked, figure=figure)
    if turn.kind == "redistribution":
        if not all(own >> to & 1 and to != square for to in targets):
            return IllegalMoveError("own_receive", **asked)
        count = min(beads, board.columns - 1)
        return IllegalMoveError("receivers", **asked, figure=figure, beads=beads, count=count)
    if turn.kind == "move" and (own | theirs) >> goal & 1:
        return IllegalMoveError("not_empty", **asked, target=target)
    if turn.kind == "hit" and not theirs >> goal & 1:
        return IllegalMoveError("none_to_hit", **asked, other=other, target=target)
    if turn.kind == "hit" and not placement.beads[goal]:
        return IllegalMoveError("no_bead_to_take", **asked, target=target)
    (row, column), (to_row, to_column) = (divmod(at, board.columns) for at in (square, goal))
    if row != to_row and column != to_column:
        return IllegalMoveError("not_in_row", **asked, target=target, figure=figure)
    away = abs(row - to_row) + abs(column - to_column)
    if away != beads:
        code = "goes_exactly" if turn.kind == "move" else "hits_exactly"
        return IllegalMoveError(code, **asked, figure=figure, beads=beads, target=target, away=away)
    return IllegalMoveError("in_between", **asked, figure=figure, target=target)
