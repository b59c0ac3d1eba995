"""Positions of Just 4 Fun: stones, hands, stock and discards, and who is to move.

A position is a value. Fields are called by their numbers, players by the names of their colours;
in tuples they stand in the order of play, and a player's place in it is the seat.

    stones     of each field from 1 to n, how many stones each player has there
    left       how many each has still to place
    hands      the cards of each, rising; None where the hand is hidden
    stock      in the order of drawing, or rising where the order is unknown
    discards   rising

There are three ways in which cards come:

    double-dummy   the order of the stock is known: `play` draws from its front, and once it is
                   used up nobody draws
    chance         the order is unknown: `draws` says what may be drawn after a move, and how
                   likely it is; `play` is told which. The discards become the new stock when a
                   card has to be drawn and none is left
    hidden         a hand is not known: `kulami_solver.just4fun.deals` makes positions of it that
                   could be meant
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

from ..core.game_records import positions_after
from ..core.whole_numbers import whole, wholes
from ..errors import IllegalMoveError, PositionError, checked_kind
from . import rules
from .cards import DECK, Move, sums_of, taken, write_cards
from .checks import checked_cards, refuse_impossible, refuse_misshapen
from .notation import COLOURS, Board, Written, read_jfn, write_jfn
from .rules import Draw, Pile


@final
@dataclass(frozen=True, repr=False)
class Position:
    """A position: an immutable value that can be compared, hashed, copied and pickled.

    `Position.from_jfn` makes one of a text, `kulami_solver.just4fun.deal` one of a shuffled deck;
    this is for programs that hold tuples.

    Args:
        board: where the numbers lie.
        stones: of each field from 1, how many stones each player has there.
        colours: letters of the players in the order of play, two to four of "rbgy".
        left: how many stones each has still to place.
        seat: who is to move, counted from 0.
        hands: the cards of each, None where they are hidden.
        stock: the cards to be drawn; where a hand is hidden, all that are not seen.
        ordered: whether the stock lies in the order of drawing.
        discards: in any order.
        line: how many fields in a row win, 1 to 64.
        hand: up to how many cards a hand is filled, 1 to 12.

    Raises:
        PositionError: if this cannot come up in a game.

    Examples:
        >>> from kulami_solver.just4fun import Position
        >>> position = Position.from_jfn("3x3 5:b1 r2b1 r r1.2,b2.3 4.1 -", line=3, hand=2)
        >>> position.turn, [str(move) for move in position.legal_moves]
        ('red', ['1=1', '2=2', '3=1+2'])
        >>> position.play("3=1+2").jfn()
        '3x3 3:r1,5:b1 r1b1 b r1.4,b2.3 - {1.2}'
    """

    board: Board
    stones: tuple[tuple[int, ...], ...]
    colours: str
    left: tuple[int, ...]
    seat: int
    hands: tuple[tuple[int, ...] | None, ...]
    stock: tuple[int, ...] = ()
    ordered: bool = True
    discards: tuple[int, ...] = ()
    line: int = 4
    hand: int = 4

    def __post_init__(self) -> None:
        refuse_misshapen(self.written)
        refuse_impossible(self.written, self.line, self.hand)
        put = object.__setattr__
        for name in ("seat", "line", "hand"):
            put(self, name, whole(getattr(self, name)))
        put(self, "stones", tuple(map(wholes, self.stones)))
        put(self, "left", wholes(self.left))
        put(self, "stock", wholes(self.stock))
        put(self, "hands", tuple(None if h is None else wholes(sorted(h)) for h in self.hands))
        put(self, "discards", wholes(sorted(self.discards)))
        if not self.stock:
            put(self, "ordered", True)
        elif not self.ordered:
            put(self, "stock", tuple(sorted(self.stock)))

    @classmethod
    def from_jfn(cls, text: str, *, line: int = 4, hand: int = 4) -> Position:
        """Return the position a JFN line describes; `kulami_solver.just4fun.notation` says how.

        Args:
            text: seven parts, `BOARD STONES LEFT TURN HANDS STOCK DISCARDS`.
            line: how many fields in a row win, 1 to 64.
            hand: up to how many cards a hand is filled, 1 to 12.

        Raises:
            NotationError: if the text is malformed.
            BoardError: if there is no such board or field.
            PositionError: if it describes no position.

        Examples:
            >>> Position.from_jfn("2006 12:r2b1 r3b2 b r1.4.7.12,b? - -").turn
            'blue'
            >>> Position.from_jfn("3x3 - r1b1 r r1.2,b3.3.3.13.13 - -")
            Traceback (most recent call last):
            ...
            kulami_solver.errors.PositionError: there are 2 cards of 13 in hands, stock and \
discards: the deck has 1
        """
        written = read_jfn(text)
        return cls(*written, line=line, hand=hand)

    # What it says

    @property
    def written(self) -> Written:
        """The content of the notation, part by part."""
        return Written(*(getattr(self, name) for name in Written._fields))

    @property
    def players(self) -> tuple[str, ...]:
        """The names of the players, in the order of play."""
        return tuple(COLOURS[colour] for colour in self.colours)

    @property
    def turn(self) -> str:
        """The player to move, also when the game is over."""
        return COLOURS[self.colours[self.seat]]

    @property
    def hidden(self) -> bool:
        """Whether a hand is hidden."""
        return None in self.hands

    @property
    def unseen_cards(self) -> tuple[int, ...]:
        """The cards that nobody sees, rising: those of the stock and of hidden hands.

        All deals of them are equally likely. Where a hand is hidden and no stock is written, it
        is what the deck has besides.

        Examples:
            >>> Position.from_jfn("3x3 - r2b2 r r1.2,b2.3 4.1 -", hand=2).unseen_cards
            (1, 4)
            >>> len(Position.from_jfn("2006 - r20b20 r r1.2.2.9,b? - {5}").unseen_cards)
            50
        """
        if not self.hidden or self.stock:
            return tuple(sorted(self.stock))
        seen = [card for cards in self.hands for card in cards or ()]
        return taken(DECK, [*seen, *self.discards])

    @cached_property
    def majorities(self) -> tuple[int | None, ...]:
        """The seat of who has most stones on each field from 1; None on empty and tied fields.

        Examples:
            >>> Position.from_jfn("1x3 1:r1b1,3:r1b2 r2b2 r r2,b3 - -", hand=1).majorities
            (None, None, 1)
        """
        return tuple(rules.majority(counts) for counts in self.stones)

    @property
    def settled(self) -> dict[int, str]:
        """The fields that are a player's for good, with the player's name.

        Examples:
            >>> Position.from_jfn("1x3 1:r2,3:r1b2 r2b2 r r2,b3 - -", hand=1).settled
            {1: 'red'}
        """
        return {
            field: self.players[counts.index(max(counts))]
            for field, counts in enumerate(self.stones, 1)
            if max(counts) >= 2 and sum(counts) == max(counts)
        }

    @cached_property
    def winning_line(self) -> tuple[int, ...] | None:
        """The fields of a line on which one player has all majorities, None if there is none.

        Examples:
            >>> Position.from_jfn("1x3 1:r2,2:r1,3:r2b1 r2b2 b r2,b3 - -", line=3).winning_line
            (1, 2, 3)
        """
        return rules.winning_line(self.board, self.majorities, self.line)

    @property
    def scores(self) -> dict[str, int]:
        """The sum of each player if the stones were counted now.

        Examples:
            >>> Position.from_jfn("1x3 1:r2,2:r1b1,3:r1b2 r2b2 r r2,b3 - -", hand=1).scores
            {'red': 1, 'blue': 3}
        """
        sums = rules.sums(self.majorities, len(self.colours))
        return dict(zip(self.players, sums, strict=True))

    @cached_property
    def is_over(self) -> bool:
        """Whether the game has ended.

        By a line, with all stones placed, or if nobody with stones has a card or can draw one.
        """
        if self.winning_line is not None or not any(self.left):
            return True
        return not self.stock and all(
            hand == () for hand, left in zip(self.hands, self.left, strict=True) if left
        )

    @cached_property
    def winner(self) -> str | None:
        """The player who has won; None while the game goes on, and if it is drawn.

        If sums are equal, the player with the highest-numbered field wins; a game is drawn only
        if no player holds a field.

        Examples:
            >>> Position.from_jfn("1x3 1:r2,2:r1,3:b2 r0b0 r r2,b3 - -", hand=1).winner
            'blue'
        """
        if not self.is_over:
            return None
        if self.winning_line is not None:
            seat = self.majorities[self.winning_line[0] - 1]
        else:
            seat = rules.winner_by_count(self.majorities, len(self.colours))
        return None if seat is None else self.players[seat]

    # Moves

    def may_place(self, field: int) -> bool:
        """Whether the player to move may place a stone on a field.

        Raises:
            BoardError: if the board has no such field.
        """
        return rules.may_place(self.stones[self.board.checked_field(field) - 1], self.seat)

    @cached_property
    def legal_moves(self) -> tuple[Move, ...]:
        """The legal moves, by field, then by cards; choices of equal cards are one move.

        If no cards make a field that the player may place on, the only move is to put the hand
        away. There is no move once the game is over.

        Raises:
            PositionError: if the hand of the player to move is hidden.

        Examples:
            >>> Position.from_jfn("1x2 1:b2 r1b1 r r1.1.1,b1 - -").legal_moves
            (Move.parse('2=1+1'),)
            >>> Position.from_jfn("1x2 1:b2 r1b1 r r1.5,b1 - -").legal_moves
            (Move.parse('discard=1+5'),)
        """
        if self.is_over:
            return ()
        hand = self.hands[self.seat]
        if hand is None:
            raise PositionError("hidden_moves", side=self.turn)
        moves = tuple(
            Move(field, cards)
            for field, choices in sums_of(hand, self.board.fields).items()
            if self.may_place(field)
            for cards in choices
        )
        return moves or (Move(None, hand),)

    def draws(self, move: Move | str) -> tuple[Draw, ...]:
        """Return what may be drawn after a move, and how likely each draw is.

        A hand is filled up from the stock; when a card has to be drawn and none is left, the
        discards are the new stock, those of this move among them. At the end of the game nothing
        is drawn.

        Raises:
            NotationError: if the text is no move.
            IllegalMoveError: if it is not legal.
            PositionError: if a hand is hidden.

        Examples:
            >>> position = Position.from_jfn("1x3 - r2b2 r r1.2,b3.4 {5} {6.6.6}", hand=2)
            >>> [(draw.cards, str(draw.chance)) for draw in position.draws("3=1+2")]
            [((1, 5), '1/5'), ((2, 5), '1/5'), ((5, 6), '3/5')]
        """
        return tuple(rules.possible_draws(*self.before_draw(move)))

    def before_draw(self, move: Move | str) -> tuple[Pile, int]:
        """Return what cards are drawn from after a move, and how many are missing in the hand.

        Raises: as `draws`.
        """
        after = self._placed(self._checked_move(move))
        return after._pile, after._missing(self.seat)

    def play(self, move: Move | str, drawn: Iterable[int] | None = None) -> Position:
        """Return the position after a move of the player to move.

        Args:
            move: a move or its text: "12=5+7", "discard=3+4".
            drawn: the cards that are drawn. None for double-dummy: from the front of a stock
                whose order is known, and none once it is used up.

        Raises:
            NotationError: if the text is no move.
            IllegalMoveError: if it is not legal, or these cards cannot be drawn; the message
                says why.
            PositionError: if a hand is hidden, or `drawn` is missing where the order is unknown.

        Examples:
            >>> position = Position.from_jfn("1x3 - r2b2 r r1.2,b3.4 {5} {6.6.6}", hand=2)
            >>> position.play("3=1+2", drawn=(5, 6)).jfn()
            '1x3 3:r1 r1b2 b r5.6,b3.4 {1.2.6.6} -'
            >>> position.play("4=1+2")
            Traceback (most recent call last):
            ...
            kulami_solver.errors.NotationError: '4=1+2' is no move: the cards 1+2 add up to 3, \
not to field 4
        """
        after = self._placed(self._checked_move(move))
        need = after._missing(self.seat)
        if drawn is not None:
            cards = tuple(sorted(checked_cards(drawn)))
            pile = after._pile.without(cards, need)
        elif need and not after.ordered:
            raise PositionError("draws_unknown")
        else:
            cards = after.stock[:need]
            pile = Pile(after.stock[need:], after.ordered, after.discards)
        hands = list(after.hands)
        hands[self.seat] = tuple(sorted((*(hands[self.seat] or ()), *cards)))
        return after._changed(hands=tuple(hands), **pile._asdict())

    def play_all(self, moves: str | Iterable[Move | str]) -> Position:
        """Return the position after moves, double-dummy: a text with spaces, or an iterable.

        Raises:
            NotationError: if one is no move.
            IllegalMoveError: if one is not legal; the message counts which.
            PositionError: if cards are to be drawn whose order is unknown.

        Examples:
            >>> position = Position.from_jfn("1x3 - r2b2 r r1.2,b3.4 5 -", hand=2)
            >>> position.play_all("1=1 3=3").jfn()
            '1x3 1:r1,3:b1 r1b1 r r2.5,b4 - {1.3}'
        """
        return positions_after(self, moves)[-1]

    def _checked_move(self, move: Move | str) -> Move:
        made = move if isinstance(move, Move) else Move.parse(move)
        if made not in self.legal_moves:
            raise self._refusal(made)
        if self.hidden:
            name = self.players[self.hands.index(None)]
            raise PositionError("hidden_deal", side=name)
        return made

    def _refusal(self, move: Move) -> IllegalMoveError:
        """Return the error that says why a move is not legal; the hand of its player is known.

        Examples:
            >>> position = Position.from_jfn("3x3 5:b2 r2b2 r r1.4,b2.3 - -")
            >>> str(position._refusal(Move.parse("9=4+5")))
            'red cannot play 9=4+5: the hand is 1.4, without 5'
            >>> position._refusal(Move.parse("5=1+4")).code
            'two_behind'
        """
        asked = {"side": self.turn, "move": str(move)}
        if self.is_over:
            return IllegalMoveError("over_for_move", **asked, standing=self.standing())
        hand = self.hands[self.seat] or ()
        if not move.cards and move.field is not None:
            return IllegalMoveError("stone_without_cards", **asked)
        missing = Counter(move.cards) - Counter(hand)
        if missing:
            without = write_cards(sorted(missing.elements()))
            if not hand:
                return IllegalMoveError("not_in_empty_hand", **asked, cards=without)
            return IllegalMoveError("not_in_hand", **asked, hand=write_cards(hand), cards=without)
        if move.field is None:
            whole = self.legal_moves[0]
            if any(whole.cards) and whole.field is None:
                return IllegalMoveError("put_away_whole", **asked, whole=str(whole))
            return IllegalMoveError("put_away_only", **asked)
        if move.field > self.board.fields:
            return IllegalMoveError("no_such_number", **asked, count=self.board.fields)
        return IllegalMoveError("two_behind", **asked, field=move.field)

    def _placed(self, move: Move) -> Position:
        """Return the position after a legal move, before cards are drawn."""
        hands = list(self.hands)
        hands[self.seat] = taken(hands[self.seat] or (), move.cards)
        stones, left = list(self.stones), list(self.left)
        if move.field is not None:
            stones[move.field - 1] = rules.placed(stones[move.field - 1], self.seat)
            left[self.seat] -= 1
        return self._changed(
            stones=tuple(stones),
            left=tuple(left),
            seat=rules.following(left, self.seat),
            hands=tuple(hands),
            discards=tuple(sorted((*self.discards, *move.cards))),
        )

    @property
    def _pile(self) -> Pile:
        return Pile(self.stock, self.ordered, self.discards)

    def _missing(self, seat: int) -> int:
        """How many cards the player who has just moved has to draw."""
        ended = self.winning_line is not None or not any(self.left)
        return 0 if ended else self.hand - len(self.hands[seat] or ())

    def _changed(self, **parts: Any) -> Position:
        """Return a position with other parts that follow by the rules, so nothing is checked."""
        made = object.__new__(Position)
        for name in _PARTS:
            object.__setattr__(made, name, parts[name] if name in parts else getattr(self, name))
        return made

    # How it is shown

    def standing(self) -> str:
        """Return in a few words how the game stands.

        Examples:
            >>> Position.from_jfn("1x3 1:r2,2:r1b1,3:b2 r0b0 r r2,b3 - -", hand=1).standing()
            'game over, blue has won; sums red 1, blue 3'
        """
        sums = _numbers(self.scores.items())
        if not self.is_over:
            left = _numbers(zip(self.players, self.left, strict=True))
            return f"{self.turn} to move; stones left {left}; sums {sums}"
        if self.winning_line is not None:
            fields = " ".join(map(str, self.winning_line))
            return f"game over, {self.winner} has won with a line of {fields}"
        ending = f"{self.winner} has won" if self.winner else "drawn"
        return f"game over, {ending}; sums {sums}"

    def text(self, *, ascii_only: bool = False) -> str:
        """Return board, hands and how the game stands as text.

        Args:
            ascii_only: draw the lines with `+`, `-` and `|`.

        Examples:
            >>> position = Position.from_jfn("1x2 2:r1 r1b2 b r1,b1 - -", hand=1)
            >>> print(position.text(ascii_only=True))
            +--------+--------+
            |  1     |  2 r1  |
            +--------+--------+
            hands     red   1
                      blue  1
            stock     none
            discards  none
            blue to move; stones left red 1, blue 2; sums red 2, blue 0
        """
        from .render import board_text

        return board_text(self, ascii_only=ascii_only)

    def svg(self) -> str:
        """Return the position as an SVG document without a prologue.

        Examples:
            >>> Position.from_jfn("1x1 - r1b1 r r1,b1 - -", hand=1).svg()[:4]
            '<svg'
        """
        from ..drawing.svg import picture_svg
        from .render import picture_of

        return picture_svg(picture_of(self))

    def png(self) -> bytes:
        """Return the position as a PNG picture.

        Raises:
            KulamiError: if Pillow is not installed.
        """
        from ..drawing.png import picture_png
        from .render import picture_of

        return picture_png(picture_of(self))

    def __str__(self) -> str:
        return self.text()

    def _repr_svg_(self) -> str:
        return self.svg()

    def jfn(self) -> str:
        """Return the position as a JFN line; `line` and `hand` are not in it.

        Examples:
            >>> Position.from_jfn("1,2/3,4 2:r1 r1b2 b r1,b4 {2.3} -", hand=1).jfn()
            '2x2 2:r1 r1b2 b r1,b4 {2.3} -'
        """
        return write_jfn(self.written)

    def __repr__(self) -> str:
        options = "".join(
            f", {name}={value}" for name in ("line", "hand") if (value := getattr(self, name)) != 4
        )
        return f"Position.from_jfn({self.jfn()!r}{options})"


_PARTS = tuple(Position.__dataclass_fields__)


def _numbers(named: Iterable[tuple[str, int]]) -> str:
    """Return a number for each player."""
    return ", ".join(f"{name} {number}" for name, number in named)


def checked_position(position: Position) -> Position:
    """Return `position` if it is one of Just 4 Fun; raise a `PositionError` otherwise.

    Examples:
        >>> checked_position("12=5+7")
        Traceback (most recent call last):
        ...
        kulami_solver.errors.PositionError: positions of Just 4 Fun are its Positions, not '12=5+7'
    """
    meant = "positions of Just 4 Fun are its Positions"
    return checked_kind(position, Position, meant, PositionError)
