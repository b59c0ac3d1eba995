"""What each move of a game cost, from the ply on where the game can be solved: any game.

The game, or what was played of it, is solved from its end backwards, until a state takes more than
the budget; from there on every move is graded by the exact values of all. What it cost is in the
unit of the game: margin, or a win, draw or loss as 1, 0 and -1. What chance has brought is no
move of anybody, and not graded.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from ..errors import KulamiError, Phrase, catalogue, said
from ..game import CHANCE, GAMES, NOBODY, Budget, Number, State, part
from .case import Case, Refutation, case_of, json_number, outcome, signed
from .suite import exact_values

__all__ = ["Grade", "GradedMove", "grade"]

_NARROWEST: Final = 5  # characters for a move
_SEAT: Final = 6  # and for who made it
_COLUMNS: Final = {"field": "column_field", "margin": "column_margin"}
"""Words of games above the table's columns that have a code."""

NODES: Final = 20_000_000
"""What a search may take for one state if nothing is said: the same on every machine."""


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
        """Who moved."""
        state = self.case.state
        return state.game.seats[state.to_move]

    @property
    def value(self) -> Number:
        """What it leaves, for the side that moved."""
        return self.case.values[self.played]

    @property
    def cost(self) -> Number:
        """What it cost."""
        return self.case.best - self.value

    @property
    def turning_point(self) -> bool:
        """Whether it changed who wins."""
        return outcome(self.case.best) != outcome(self.value)

    @functools.cached_property
    def refutation(self) -> Refutation | None:
        """Why it changed who wins, if it did and the game can say that."""
        return self.case.refutation(self.played) if self.turning_point else None

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


class Estimate(Protocol):
    """About what a move is worth to the side that makes it; nothing of it is proved."""

    @property
    def margin(self) -> float:
        """The points to be expected."""

    def words(self, side: str) -> str:
        """Return it as people say it; `side` makes the move."""

    def to_json(self) -> dict[str, float]:
        """Return it as the command line prints it."""


@dataclass(frozen=True)
class EstimatedMove:
    """A move of the part that is not solved, with estimates of all that could be played.

    Attributes:
        ply: its number in the game, from 1.
        played: the move.
        colour: who moved.
        estimates: of every legal move, for the side that moved.
    """

    ply: int
    played: str
    colour: str
    estimates: Mapping[str, Estimate]

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
        beyond: why no move before them is graded, in a few words; nothing if there is none.
        estimated: the moves before them; None if estimates were not asked for.
    """

    begun: State
    played: tuple[str, ...]
    moves: tuple[GradedMove, ...]
    ended: State
    beyond: str = ""
    estimated: tuple[EstimatedMove, ...] | None = None

    @property
    def first_ply(self) -> int:
        """The first graded ply, from 1; one beyond the game if none is graded."""
        return self.moves[0].ply if self.moves else len(self.played) + 1

    @property
    def exact_words(self) -> str:
        """From which move on the values are known, and why not from one before it."""
        return self._exact_words("en")

    def _exact_words(self, language: str) -> str:
        solved = Phrase("solved_from", ply=self.first_ply).said(language)
        return f"{solved}; {said(self.beyond, language)}" if self.beyond else solved

    @property
    def start(self) -> Any:
        """The position it began from: in Kulami the empty board."""
        return self.begun.position

    @property
    def end(self) -> Any:
        """The position after the last move."""
        return self.ended.position

    @property
    def scoring(self) -> Any:
        """What counted, in games that have a scoring."""
        return getattr(self.begun.game, "scoring", None)

    @property
    def turning_points(self) -> tuple[GradedMove, ...]:
        """The moves that changed who wins."""
        return tuple(move for move in self.moves if move.turning_point)

    def of(self, colour: str) -> dict[str, Any]:
        """Return a player's accuracy: moves, optimal, accuracy, lost and worst.

        Moves without a choice are not counted; accuracy is None if there was never one.
        """
        own = [m for m in self.moves if m.colour == colour and len(m.case.values) > 1]
        right = sum(move.cost == 0 for move in own)
        return {
            "moves": len(own),
            "optimal": right,
            "accuracy": right / len(own) if own else None,
            "lost": json_number(sum(move.cost for move in own)),
            "worst": json_number(max((move.cost for move in own), default=0)),
        }

    @property
    def finished(self) -> bool:
        """Whether it was played to its end."""
        return self.ended.to_move == NOBODY

    @property
    def words(self) -> type[Case]:
        """The kind of case in which the game has its words."""
        return type(case_of(self.ended, {}))

    def to_json(self) -> dict[str, Any]:
        """Return the grade as the command line prints it."""
        return {
            **self.words.rules_json(self.begun),
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
        word = self.words.move_word
        return {"estimates": [move.to_json(word) for move in self.estimated]}

    def text(self, remedy: str = "give more with --time", language: str = "en") -> str:
        """Return the grade as text.

        Args:
            remedy: what to do if nothing could be solved.
            language: of the page, for what has a code: all that is said of Kulami but estimates.
        """
        seat = max(_SEAT, *(len(_seat(name, language)) for name in self.begun.game.seats))
        lines = [self._headline(language)]
        if not self.played:
            return "; ".join([*lines, Phrase("no_move_to_judge").said(language)])
        wide = max(_NARROWEST, *(len(move) for move in self.played))
        if not self.moves:
            why = f" ({said(self.beyond, language)})" if self.beyond else ""
            unsolved = Phrase("none_solved", remedy=remedy).said(language)
            lines[0] += f"; {unsolved}{why}"
            return "\n".join((*lines, *self._estimate_lines(seat, wide)))
        lines += [*self._estimate_lines(seat, wide), self._exact_words(language), ""]
        table, players = self._table(seat, wide, language), self._players(seat, language)
        return "\n".join([*lines, *table, "", *players])

    def _headline(self, language: str) -> str:
        """How many moves it has, and how it stands after them."""
        parts = [
            Phrase("graded_moves", count=len(self.played)).said(language),
            said(self.words.standing(self.ended), language),
            "" if self.finished else Phrase("not_to_end").said(language),
        ]
        return ", ".join(filter(None, parts))

    def _table(self, seat: int, wide: int, language: str) -> list[str]:
        """A line for each graded move, and why it spoilt the game below it, if it did."""
        ply, cost, best = (
            Phrase(code).said(language) for code in ("column_ply", "column_cost", "column_best")
        )
        word, unit = (
            Phrase(_COLUMNS.get(one, one)).said(language)
            for one in (self.words.move_word, self.words.unit)
        )
        wide = max(wide, len(word))
        # A column is as wide as its heading, and a blank before it.
        worth, costs = max(8, len(unit) + 1), max(6, len(cost) + 1)
        lines = [f"{ply:<3}  {'':<{seat}} {word:<{wide}}{unit:>{worth}}{cost:>{costs}}  {best}"]
        for move in self.moves:
            note = ""
            if move.turning_point:
                before, after = outcome(move.case.best), outcome(move.value)
                changed = Phrase("becomes", before=before, after=after)
                note = f"  {changed.said(language)}"
            better = " ".join(move.case.best_moves) if move.cost else ""
            lost = str(move.cost) if move.cost else "-"
            lines.append(
                f"{move.ply:>3}  {_seat(move.colour, language):<{seat}} {move.played:<{wide}}"
                f"{signed(move.value):>{worth}}{lost:>{costs}}  {better}{note}".rstrip()
            )
            if move.refutation is not None:
                lines.append(f"     {said(move.refutation.words, language)}")
        return lines

    def _players(self, seat: int, language: str) -> list[str]:
        """A line for each player: how well, and what it cost."""
        lines = []
        for name in self.begun.game.seats:
            found = self.of(name)
            share = "-" if found["accuracy"] is None else f"{found['accuracy'] * 100:.0f} %"
            counts = {key: found[key] for key in ("optimal", "moves", "lost")}
            judged = Phrase("graded_player", share=f"{share:>5}", **counts)
            lines.append(f"{_seat(name, language):<{seat}} {judged.said(language)}")
        return lines

    def _estimate_lines(self, seat: int, wide: int) -> list[str]:
        if not self.estimated:
            return []
        lines = ["estimates: nothing of this is proved", ""]
        for move in self.estimated:
            about = move.estimates[move.played].words(move.colour)
            better = "" if move.best == move.played else f"; {move.best} looks better"
            start = f"{move.ply:>3}  {move.colour:<{seat}} {move.played:<{wide}}"
            lines.append(f"{start}  {about}{better}")
        return [*lines, ""]


def grade(
    start: Any,
    played: Sequence[str],
    scoring: Any = None,
    *,
    time: float | None = None,
    nodes: int | None = None,
    known: Callable[[State], Mapping[str, Number] | None] | None = None,
    search: Callable[[State], Mapping[str, Number] | None] | None = None,
    estimate: Callable[[State], Mapping[str, Estimate]] | None = None,
    progress: Callable[[GradedMove], None] | None = None,
) -> Grade:
    """Grade the moves of a game.

    Args:
        start: the state the game began from, of any game; or a position of Kulami.
        played: the moves, in order, with what chance has brought.
        scoring: what counts, with a position of Kulami; a state has it.
        time, nodes: what the search may take for one state: so many seconds, so many positions.
            If neither is given `NODES`, so that a game is graded alike whatever else goes on.
        known: asked before anything is searched for the exact value of every move, for the seat to
            move; None where it has none. A database, for instance.
        search: finds the exact value of every move, in place of `State.evaluate`; None where that
            takes too long, which ends the grading.
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
    begun = _state(start, scoring)
    states = [begun]
    for number, move in enumerate(played, 1):
        try:
            states.append(states[-1].play(move))
        except KulamiError as error:
            raise error.at("move", number=number) from None
    if time is None and nodes is None:
        nodes = NODES
    graded: list[GradedMove] = []
    beyond: str = ""
    for ply in range(len(played), 0, -1):
        state = states[ply - 1]
        if state.to_move == CHANCE:
            continue
        values = None if known is None else known(state)
        if values is None:
            budget = Budget(seconds=time, nodes=nodes)
            values = exact_values(state, budget) if search is None else search(state)
        if values is None:
            if search is None:
                if nodes is not None:
                    beyond = Phrase("beyond_nodes", ply=ply, nodes=nodes)
                else:
                    beyond = Phrase("beyond_seconds", ply=ply, seconds=f"{time:g}")
            break
        case = case_of(state, _at_the_end(state, values))
        made = GradedMove(ply, states[ply - 1].move_of(played[ply - 1]), case)
        graded.append(made)
        if progress is not None:
            progress(made)
    exact = tuple(reversed(graded))
    unsolved = states[: exact[0].ply - 1] if exact else states[:-1]
    estimated = None if estimate is None else _estimated(unsolved, played, estimate)
    return Grade(begun, tuple(played), exact, states[-1], beyond, estimated)


def _estimated(
    states: Sequence[State],
    played: Sequence[str],
    estimate: Callable[[State], Mapping[str, Estimate]],
) -> tuple[EstimatedMove, ...]:
    return tuple(
        EstimatedMove(ply, state.move_of(move), state.game.seats[state.to_move], estimate(state))
        for ply, (state, move) in enumerate(zip(states, played, strict=False), 1)
        if state.to_move != CHANCE
    )


def _seat(name: str, language: str) -> str:
    """Return a player's name in a language."""
    return catalogue(language).get(name, name) if language != "en" else name


def _state(start: Any, scoring: Any) -> State:
    """Return a state as it is, and a position of Kulami as one."""
    state: State = start
    if hasattr(start, "evaluate"):
        return state
    for name in GAMES:
        made = getattr(part(name, "bots"), "state_of", None)
        if made is not None:
            state = made(start) if scoring is None else made(start, scoring)
            break
    return state


def _at_the_end(state: State, values: Mapping[str, Number]) -> dict[str, Number]:
    """Return the values, those of moves that end the game as it ends then.

    A position's value need not say that: the third time that it comes up, a game may be over.
    """
    seat = state.to_move
    found = {}
    for move, value in values.items():
        after = state.play(move)
        found[move] = after.returns()[seat] if after.to_move == NOBODY else value
    return found
