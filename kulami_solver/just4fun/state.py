"""States of Just 4 Fun for `kulami_solver.game`: a seat for each player, in the order of play.

Cards are drawn one by one by chance, from a stock in an unknown order; players see their own hand,
the board and the discards. With `dummy` the game is double-dummy: everyone knows all hands and the
order of the stock, nothing is left to chance, and nobody draws once the stock is used up. `hidden`
then shows bots only what players see, while their moves are judged by the double-dummy values.

A win is worth 1, a draw 0; the others lose the winner's amount in equal parts. A game in which
nobody can place a stone any more would never end: after sixty turns in a row without a stone it is
counted as it stands.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from ..core.whole_numbers import checked_index
from ..errors import BoardError, NotationError, Phrase, PositionError
from ..game import CHANCE, NOBODY, Number, OpenState
from .cards import Move, read_cards, taken, write_cards
from .dealing import deal, known_to
from .notation import COLOURS, Board, read_jfn
from .position import Position, checked_position
from .rules import IDLE_TURNS, winner_by_count

_PARTS: Final = 7  # of a notation; a state in which cards are to be drawn has two more


@dataclass(frozen=True)
class Just4FunGame:
    """Just 4 Fun with its options, a `kulami_solver.game.Game`; `make_game` says what they mean.

    Examples:
        >>> game = Just4FunGame(Board.parse("3x3"), stones=3, line=3, hand=2, seed=4)
        >>> game.seats, game.start().moves
        (('red', 'blue'), ('4=4', '5=5', '9=4+5'))
    """

    board: Board
    players: str = "rb"
    stones: int = 20
    line: int = 4
    hand: int = 4
    seed: int = 0
    dummy: bool = False
    hidden: bool = False

    name = "just4fun"
    may_repeat = True

    @property
    def seats(self) -> tuple[str, ...]:
        return tuple(COLOURS[letter] for letter in self.players)

    @property
    def has_chance(self) -> bool:
        return not self.dummy

    @property
    def has_hidden(self) -> bool:
        return self.hidden or not self.dummy

    def start(self) -> Just4FunState:
        """Return the state after the deal, which `seed` decides."""
        options: dict[str, Any] = {"stones": self.stones, "line": self.line, "hand": self.hand}
        return self.state(deal(self.board, self.seed, players=self.players, **options))

    def state(self, position: Position) -> Just4FunState:
        """Return the state of a position with open hands; without `dummy` its stock is shuffled."""
        checked_position(position)
        if not self.dummy:
            position = replace(position, ordered=False)
        elif not position.ordered:
            raise PositionError("dummy_without_order")
        return Just4FunState(self, position)

    def read(self, notation: str) -> Just4FunState:
        """Return the state of a JFN; where cards are to be drawn, move and cards follow it."""
        parts = notation.split(" ") if isinstance(notation, str) else []
        text = " ".join(parts[:_PARTS]) if len(parts) == _PARTS + 2 else notation
        written = read_jfn(text)
        if written.board != self.board:
            raise BoardError(
                f"a position on a board of {written.board}: this game is played on {self.board}"
            )
        if written.colours != self.players:
            raise PositionError(
                f"a position of the players {written.colours}: this game is played by "
                f"{self.players}"
            )
        position = Position(*written, line=self.line, hand=self.hand)
        if position.hidden:
            raise PositionError("game_with_hidden_hand")
        state = self.state(position)
        if text is notation:
            return state
        return state.drawing(Move.parse(parts[_PARTS]), parts[-1])


@dataclass(frozen=True)
class Just4FunState(OpenState):
    """A position, and while cards are drawn, the move before the draws and the cards so far.

    It is a `kulami_solver.game.State`; `idle` counts the turns since a stone was placed.
    """

    game: Just4FunGame
    position: Position
    move: Move | None = None
    cards: tuple[int, ...] = ()
    idle: int = 0

    @property
    def to_move(self) -> int:
        """The seat to move, `CHANCE` while cards are drawn, `NOBODY` once the game is over."""
        if self.move is not None:
            return CHANCE
        if self.position.is_over or self.idle >= IDLE_TURNS:
            return NOBODY
        return self.position.seat

    @property
    def moves(self) -> tuple[str, ...]:
        if self.to_move == NOBODY:
            return ()
        if self.move is None:
            return tuple(str(move) for move in self.position.legal_moves)
        return tuple(map(str, sorted(set(self._pool()))))

    def chances(self) -> tuple[Fraction, ...]:
        if self.move is None:
            return ()
        pool = self._pool()
        return tuple(Fraction(pool.count(int(card)), len(pool)) for card in self.moves)

    def play(self, move: Move | str) -> Just4FunState:
        if self.to_move == NOBODY:
            raise PositionError("just4fun_over", standing=self.position.standing())
        if self.move is not None:
            if str(move) not in self.moves:
                raise NotationError("cards_that_may_come", cards=" ".join(self.moves))
            return self._filled(self.move, tuple(sorted((*self.cards, int(str(move))))))
        made = move if isinstance(move, Move) else Move.parse(move)
        if self.game.dummy:
            return self._after(made, self.position.play(made))
        self.position.before_draw(made)  # refuses an illegal move
        return self._filled(made, ())

    def drawing(self, move: Move, cards: str) -> Just4FunState:
        """Return the state in which some cards have been drawn after a move, `-` for none yet.

        Raises:
            KulamiError: if they cannot have come, or no further one is drawn.
        """
        pile, _ = self.position.before_draw(move)
        drawn = () if cards == "-" else read_cards(cards, Phrase("what_is_drawn"), rising=True)
        pile.without(drawn, len(drawn))  # refuses impossible cards
        state = self._filled(move, drawn)
        if state.move is None:
            raise NotationError("no_card_to_draw", move=move, cards=cards)
        return state

    def _filled(self, move: Move, drawn: tuple[int, ...]) -> Just4FunState:
        """Return the state after a move and some draws: the next draw, or the next turn."""
        pile, number = self.position.before_draw(move)
        if len(drawn) < min(number, len(pile.stock) + len(pile.discards)):
            return replace(self, move=move, cards=drawn)
        return self._after(move, self.position.play(move, drawn))

    def _after(self, move: Move, position: Position) -> Just4FunState:
        idle = self.idle + 1 if move.field is None else 0
        return Just4FunState(self.game, position, idle=idle)

    def _pool(self) -> tuple[int, ...]:
        """The cards from which the next one is drawn."""
        assert self.move is not None
        pile, _ = self.position.before_draw(self.move)
        sure, pool, _ = pile.split(len(self.cards) + 1)
        return taken((*sure, *pool), self.cards)

    def returns(self) -> tuple[Number, ...]:
        """Return 1 for the winner and equal losses for the others; 0 for all after a draw."""
        if self.to_move != NOBODY:
            raise PositionError("just4fun_not_over", standing=self.position.standing())
        seats = range(len(self.game.players))
        winner = self.winner
        if winner is None:
            return tuple(0 for _ in seats)
        lost = Fraction(-1, len(seats) - 1)
        other: Number = -1 if len(seats) == 2 else lost
        return tuple(1 if seat == winner else other for seat in seats)

    def scores(self) -> tuple[int, ...]:
        """Return the sum of the fields of each player."""
        return tuple(self.position.scores.values())

    @property
    def winner(self) -> int | None:
        """The seat that has won a game that is over, None if it is drawn."""
        position = self.position
        if position.is_over:
            return None if position.winner is None else position.players.index(position.winner)
        return winner_by_count(position.majorities, len(position.players))

    def notation(self) -> str:
        """Return the JFN, and while cards are drawn the move and the cards so far."""
        text = self.position.jfn()
        if self.move is None:
            return text
        return f"{text} {self.move} {write_cards(self.cards) or '-'}"

    def known_to(self, seat: int) -> str:
        if not self.game.has_hidden:
            return self.notation()
        seats = self.game.seats
        return known_to(self.position, seats[checked_index(seat, len(seats), "seat")]).jfn()

    def for_bots(self) -> tuple[Position, dict[str, object]]:
        if not self.game.has_hidden:
            return self.position, {}
        return known_to(self.position, self.position.turn), {}

    def move_of(self, answer: object) -> str:
        """Return the move of an answer, which may be a `Move` or its text."""
        if not isinstance(answer, (Move, str)):
            raise TypeError("no move")
        move = answer if isinstance(answer, Move) else Move.parse(answer)
        # The other hand may be hidden, as players see it, and then nobody can play on from here.
        if self.to_move < 0 or move not in self.position.legal_moves:
            self.play(move)  # says why it is refused
        return str(move)

    def drawn(self, *, ascii_only: bool = False) -> str:
        """Return the position as text, and what is being drawn."""
        text = self.position.text(ascii_only=ascii_only)
        if self.move is None:
            return text
        return f"{text}\n{self.move} is played, drawn so far {write_cards(self.cards) or 'nothing'}"


def state_of(position: Position, dummy: bool = False) -> Just4FunState:
    """Return a position as a state: as it is given, with its stock and hidden hands.

    Examples:
        >>> state_of(Position.from_jfn("3x3 5:b1 r2b1 r r1.4,b2.3 - -")).moves
        ('1=1', '4=4', '5=1+4')
    """
    game = Just4FunGame(
        position.board, position.colours, line=position.line, hand=position.hand, dummy=dummy
    )
    return Just4FunState(game, position)
