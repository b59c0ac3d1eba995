"""The cost of each move of a game, from the first ply at which the game can be solved: any game.

The game, or its part that was played, is solved from its end backwards, until a state takes more
than the budget; from there on every move is graded by the exact values of all moves. The cost is in
the unit of the game: margin, or a win, draw or loss as 1, 0 and -1. Moves of chance are not graded.

    3 moves, red 4, black 2
    solved from move 1 on

    ply         field  margin  cost  best
      1  red    a1         +0     -
      2  black  a2         -2     2  c1  a draw becomes a loss
         after c1 black gets the panel of 2, c1-c2; after a2 red does
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final, Protocol, TypeAlias

from ..core.budgets import check_watchers
from ..core.game_records import positions_after
from ..core.notation import so_many
from ..errors import Phrase
from ..game import CHANCE, GAMES, NOBODY, Budget, Number, Question, Source, State, ask, known, part
from .case import Case, case_of, json_number, outcome, signed

__all__ = ["grade"]

NODES: Final = 20_000_000
"""The default budget of a search for one state, in nodes: the same on every machine."""

_NARROWEST: Final = 5  # characters for a move
_SEAT: Final = 6  # characters for the player


@dataclass(frozen=True)
class GradedMove:
    """A move and what it cost.

    Attributes:
        ply: its number in the game, from 1.
        played: the move.
        case: the state before it, with every move's value.
    """

    ply: int
    played: str
    case: Case

    @property
    def colour(self) -> str:
        """The player who moved."""
        state = self.case.state
        return state.game.seats[state.to_move]

    @property
    def value(self) -> Number:
        """The value after the move, for the side that moved."""
        return self.case.values[self.played]

    @property
    def cost(self) -> Number:
        """The cost of the move."""
        return self.case.best - self.value

    @property
    def turning_point(self) -> bool:
        """Whether it changed who wins."""
        return outcome(self.case.best) != outcome(self.value)

    @functools.cached_property
    def refutation(self) -> Any:
        """Why the move cost something, if it did and the game gives a reason."""
        return self.case.refutation(self.played) if self.cost else None

    def to_json(self) -> dict[str, Any]:
        """Return the move as the command line prints it, in the words of its game."""
        case = self.case
        why = {} if self.refutation is None else {"refutation": self.refutation.to_json()}
        return {
            "ply": self.ply,
            "colour": self.colour,
            case.move_word: self.played,
            case.unit: json_number(self.value),
            "best": list(case.best_moves),
            f"best_{case.unit}": json_number(case.best),
            "cost": json_number(self.cost),
            "outcome": [outcome(case.best), outcome(self.value)],
            **why,
        }


class MoveEstimate(Protocol):
    """An unproved estimate of a move's value for the side that makes it."""

    @property
    def margin(self) -> float:
        """The points to be expected."""

    def words(self, side: str) -> str:
        """Return the estimate in words; `side` makes the move."""

    def to_json(self) -> dict[str, float]:
        """Return it as the command line prints it."""


Estimating: TypeAlias = Callable[[State], Mapping[str, MoveEstimate]]
"""Estimates every move of a state."""


@dataclass(frozen=True)
class EstimatedMove:
    """A move of the part that is not solved, with estimates of all legal moves.

    Attributes:
        ply: its number in the game, from 1.
        played: the move.
        colour: who moved.
        estimates: of every legal move, for the side that moved.
    """

    ply: int
    played: str
    colour: str
    estimates: Mapping[str, MoveEstimate]

    @property
    def best(self) -> str:
        """The move that looks best."""
        return max(self.estimates, key=lambda move: self.estimates[move].margin)

    def to_json(self, move_word: str) -> dict[str, Any]:
        """Return the move as the command line prints it; its game calls a move `move_word`."""
        return {
            "ply": self.ply,
            "colour": self.colour,
            move_word: self.played,
            "estimate": self.estimates[self.played].to_json(),
            "best": self.best,
            "best_estimate": self.estimates[self.best].to_json(),
        }


@dataclass(frozen=True)
class Grade:
    """A graded game.

    Attributes:
        begun: the state it began from.
        played: all moves, with those of chance.
        moves: the graded moves, the last ones of the game.
        ended: the state after the last move.
        beyond: why no move before `moves` is graded, in a few words; empty if there is none.
        estimated: the moves before them; None if estimates were not asked for.
        players: the names of those who have one, by seat.
    """

    begun: State
    played: tuple[str, ...]
    moves: tuple[GradedMove, ...]
    ended: State
    beyond: str = ""
    estimated: tuple[EstimatedMove, ...] | None = None
    players: Mapping[str, str] = field(default_factory=dict, hash=False)

    def called(self, seat: str, *, with_seat: bool = False) -> str:
        """Return a player's name; the seat if the player has no other name.

        Args:
            seat: where the player sits.
            with_seat: whether to put the seat behind a name.

        Examples:
            >>> from kulami_solver.game import load_game
            >>> start = load_game("kulami", layout="AAB/CCB").start()
            >>> found = Grade(start, (), (), start, players={"red": "Ann"})
            >>> found.called("red"), found.called("black"), found.called("red", with_seat=True)
            ('Ann', 'black', 'Ann (red)')
        """
        name = self.players.get(seat, seat)
        if name == seat or list(self.players.values()).count(name) > 1:
            return seat
        return f"{name} ({seat})" if with_seat else name

    @property
    def first_ply(self) -> int:
        """The first graded ply, from 1; one more than the last ply if none is graded."""
        return self.moves[0].ply if self.moves else len(self.played) + 1

    @property
    def turning_points(self) -> tuple[GradedMove, ...]:
        """The moves that changed who wins."""
        return tuple(move for move in self.moves if move.turning_point)

    def of(self, colour: str) -> dict[str, Any]:
        """Return a player's accuracy: moves, optimal, accuracy, lost and worst.

        Moves without a choice are not counted; accuracy is None if there was never one.
        """
        return accuracy_of(move for move in self.moves if move.colour == colour)

    @property
    def finished(self) -> bool:
        """Whether the game was played to its end."""
        return self.ended.to_move == NOBODY

    @property
    def kind(self) -> type[Case]:
        """The class of cases that has the game's words."""
        return type(case_of(self.ended, {}))

    def to_json(self) -> dict[str, Any]:
        """Return the grade as the command line prints it."""
        return {
            **self.kind.rules_json(self.begun),
            "plies": len(self.played),
            "finished": self.finished,
            "from_ply": self.first_ply,
            "exact_from": self.first_ply if self.moves else None,
            "beyond": self.beyond or None,
            "moves": [move.to_json() for move in self.moves],
            "turning_points": [move.ply for move in self.turning_points],
            **{seat: self.of(seat) for seat in self.begun.game.seats},
            **self._estimates_json(),
        }

    def _estimates_json(self) -> dict[str, Any]:
        if self.estimated is None:
            return {}
        word = self.kind.move_word
        return {"estimates": [move.to_json(word) for move in self.estimated]}

    def kept(self) -> dict[str, Any]:
        """Return what a file of results keeps: the values of the graded moves, and `beyond`."""
        cases = (move.case.values.items() for move in self.moves)
        values = [{move: json_number(value) for move, value in case} for case in cases]
        return {"values": values, "beyond": str(self.beyond)}

    def text(self, remedy: str = "give more with --time") -> str:
        """Return the grade as text.

        Args:
            remedy: what to do if nothing could be solved.
        """
        seat = max(_SEAT, *(len(self.called(name)) for name in self.begun.game.seats))
        lines = [_headline(self)]
        if not self.played:
            return "; ".join([*lines, "there is no move to judge"])
        wide = max(_NARROWEST, *(len(move) for move in self.played))
        if not self.moves:
            why = f" ({self.beyond})" if self.beyond else ""
            lines[0] += f"; no position could be solved in the time: {remedy}{why}"
            return "\n".join((*lines, *_estimate_lines(self, seat, wide)))
        lines += [*_estimate_lines(self, seat, wide), _solved_words(self), ""]
        table, players = _table(self, seat, wide), _players(self, seat)
        return "\n".join([*lines, *table, "", *players])


def accuracy_of(moves: Iterable[GradedMove]) -> dict[str, Any]:
    """Return moves, optimal, accuracy, lost and worst of a player's moves, as `Grade.of` says."""
    own = [move for move in moves if len(move.case.values) > 1]
    right = sum(move.cost == 0 for move in own)
    return {
        "moves": len(own),
        "optimal": right,
        "accuracy": right / len(own) if own else None,
        "lost": json_number(sum(move.cost for move in own)),
        "worst": json_number(max((move.cost for move in own), default=0)),
    }


def _solved_words(found: Grade) -> str:
    """Return the first move from which the values are known, and why none before it."""
    solved = f"solved from move {found.first_ply} on"
    return f"{solved}; {found.beyond}" if found.beyond else solved


def accuracy_words(counted: Mapping[str, Any]) -> str:
    """Return the result of `accuracy_of` in words."""
    share = "-" if counted["accuracy"] is None else f"{counted['accuracy'] * 100:.0f} %"
    choices = f"{counted['optimal']} of {counted['moves']} choices"
    return f"{share:>5} optimal ({choices}), lost {counted['lost']}"


def _headline(found: Grade) -> str:
    """The number of moves, and the standing after them."""
    parts = [
        so_many(len(found.played), "move"),
        found.kind.standing(found.ended),
        "" if found.finished else "not played to its end",
    ]
    return ", ".join(filter(None, parts))


def _table(found: Grade, seat: int, wide: int) -> list[str]:
    """A line for each graded move; below it, the reason if the move cost something."""
    word, unit = found.kind.move_word, found.kind.unit
    wide = max(wide, len(word))
    worth = max(8, len(unit) + 1)  # as wide as the heading, and a blank before it
    lines = [f"ply  {'':<{seat}} {word:<{wide}}{unit:>{worth}}  cost  best"]
    for move in found.moves:
        note = ""
        if move.turning_point:
            before, after = outcome(move.case.best), outcome(move.value)
            becomes = Phrase("becomes", before=before, after=after)
            note = f"  {becomes}"
        better = " ".join(move.case.best_moves) if move.cost else ""
        lost = str(move.cost) if move.cost else "-"
        lines.append(
            f"{move.ply:>3}  {found.called(move.colour):<{seat}} {move.played:<{wide}}"
            f"{signed(move.value):>{worth}}{lost:>6}  {better}{note}".rstrip()
        )
        if move.refutation is not None:
            lines.append(f"     {move.refutation.words}")
    return lines


def _players(found: Grade, seat: int) -> list[str]:
    """A line for each player with accuracy and cost."""
    who = {name: found.called(name, with_seat=True) for name in found.begun.game.seats}
    seat = max(seat, *map(len, who.values()))
    return [f"{who[name]:<{seat}} {accuracy_words(found.of(name))}" for name in who]


def _estimate_lines(found: Grade, seat: int, wide: int) -> list[str]:
    if not found.estimated:
        return []
    lines = ["estimates: nothing of this is proved", ""]
    for move in found.estimated:
        about = move.estimates[move.played].words(move.colour)
        if move.best != move.played:
            about += f"; {move.best} looks better"
        start = f"{move.ply:>3}  {found.called(move.colour):<{seat}} {move.played:<{wide}}"
        lines.append(f"{start}  {about}")
    return [*lines, ""]


# Grading


def grade(
    start: Any,
    played: str | Sequence[str],
    scoring: Any = None,
    *,
    time: float | None = None,
    nodes: int | None = None,
    sources: Sequence[Source] = (),
    estimate: Estimating | None = None,
    progress: Callable[[GradedMove], None] | None = None,
) -> Grade:
    """Grade the moves of a game.

    Args:
        start: the state the game began from, of any game; or a position of Kulami.
        played: the moves, in order, including those of chance; separated by blanks if one text.
        scoring: the scoring, for a position of Kulami; a state has its own.
        time, nodes: the budget of the search for one state, in seconds and in positions; by
            default `NODES`, so that the grade does not depend on the machine's load.
        sources: asked before any search, in this order. If the first that answers leaves the value
            of a move open, the grading ends there.
        estimate: estimates every move of a state, for the seat to move; asked where nothing is
            solved. None for no estimates.
        progress: called with each graded move, the last one of the game first.

    Raises:
        KulamiError: if a move is not legal.

    Examples:
        >>> from kulami_solver.game import load_game
        >>> found = grade(load_game("kulami", layout="AAB/AAC").start(), "a1 c1 c2 a2".split())
        >>> [move.cost for move in found.moves], found.first_ply
        ([0, 0, 0, 0], 1)
    """
    check_watchers(progress, None)
    begun = start if hasattr(start, "evaluate") else _state_of(start, scoring)
    states = positions_after(begun, played)
    played = played.split() if isinstance(played, str) else played
    if time is None and nodes is None:
        nodes = NODES
    graded: list[GradedMove] = []
    beyond: str = ""
    for ply in range(len(played), 0, -1):
        state = states[ply - 1]
        if state.to_move == CHANCE:
            continue
        question = Question(state, every_move=True, budget=Budget(time, nodes))
        answer = next(known(question, sources), None)
        values = (ask(question) if answer is None else answer).exact_moves
        if not values:
            if answer is None and nodes is not None:
                beyond = f"move {ply} would take more than {nodes:,} positions"
            elif answer is None:
                beyond = f"move {ply} would take more than {time:g} s"
            break
        case = case_of(state, _at_the_end(state, values))
        made = GradedMove(ply, state.move_of(played[ply - 1]), case)
        graded.append(made)
        if progress is not None:
            progress(made)
    return _whole(begun, played, states, tuple(reversed(graded)), beyond, estimate)


def regraded(
    begun: State,
    played: Sequence[str],
    kept: Mapping[str, Any],
    estimate: Estimating | None = None,
) -> Grade | None:
    """Return the grade of a game from the values that `Grade.kept` has of it.

    Args:
        begun, played: the game, as for `grade`.
        kept: the values.
        estimate: as for `grade`.

    Returns:
        None if they are not those of this game.

    Examples:
        >>> from kulami_solver.game import load_game
        >>> start = load_game("kulami", layout="AAB/AAC").start()
        >>> found = grade(start, "a1 c1 c2 a2")
        >>> regraded(start, found.played, found.kept()) == found
        True
    """
    states = positions_after(begun, played)
    plies = [ply for ply in range(1, len(states)) if states[ply - 1].to_move != CHANCE]
    moves: list[GradedMove] = []
    try:
        for told in reversed(kept["values"]):
            ply = plies.pop()
            state = states[ply - 1]
            values = {move: told[move] for move in told if type(told[move]) is int}
            values |= {move: Fraction(str(told[move])) for move in told.keys() - values.keys()}
            if values.keys() != {*state.moves}:
                return None
            case = case_of(state, {move: values[move] for move in told})
            moves.append(GradedMove(ply, state.move_of(played[ply - 1]), case))
    except (AttributeError, LookupError, TypeError, ValueError):
        return None
    beyond = str(kept.get("beyond") or "")
    return _whole(begun, played, states, tuple(reversed(moves)), beyond, estimate)


def _whole(
    begun: State,
    played: Sequence[str],
    states: Sequence[State],
    exact: tuple[GradedMove, ...],
    beyond: str,
    estimate: Estimating | None,
) -> Grade:
    """The grade of a game, with estimates of the moves before the graded ones."""
    unsolved = states[: exact[0].ply - 1] if exact else states[:-1]
    estimated = None if estimate is None else _estimated(unsolved, played, estimate)
    return Grade(begun, tuple(played), exact, states[-1], beyond, estimated)


def _estimated(
    states: Sequence[State],
    played: Sequence[str],
    estimate: Estimating,
) -> tuple[EstimatedMove, ...]:
    return tuple(
        EstimatedMove(ply, state.move_of(move), state.game.seats[state.to_move], estimate(state))
        for ply, (state, move) in enumerate(zip(states, played, strict=False), 1)
        if state.to_move != CHANCE
    )


def _state_of(position: Any, scoring: Any) -> State:
    """Return a position of Kulami as a state: of the game whose part of the bots can do so."""
    parts: Any = (part(name, "bots") for name in GAMES)
    made = next(one.state_of for one in parts if hasattr(one, "state_of"))
    state: State = made(position) if scoring is None else made(position, scoring)
    return state


def _at_the_end(state: State, values: Mapping[str, Number]) -> dict[str, Number]:
    """Return the values, but for a move that ends the game the result of that end.

    A position's value may differ from that result: its third occurrence may end the game.
    """
    seat = state.to_move
    found = {}
    for move, value in values.items():
        after = state.play(move)
        found[move] = after.returns()[seat] if after.to_move == NOBODY else value
    return found
