"""Kulami through the interface of all games: seat 0 is red, 1 is black, values are margins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..core.notation import BLACK, RED, parse_turn
from ..core.whole_numbers import whole
from ..errors import PositionError
from ..game import NOBODY, Descriptor, OpenState, Option, Question, Report, Source
from .position.layout import Layout, named_layout
from .position.position import MARBLES, Position
from .position.scoring import Scoring
from .solve.solution import Progress, Solution
from .solve.solve import OpenDatabase, solve
from .solve.solver import table_plies

_SEATS = (RED, BLACK)


@dataclass(frozen=True)
class KulamiGame:
    """Kulami on a layout, by a scoring: a `kulami_solver.game.Game`.

    Examples:
        >>> game = make_game(layout="AAB/CCB", scoring=1)
        >>> game.start().notation()
        'AAB/CCB - r -'
        >>> game.read("AAB/CCB r/3 b a1").returns()
        Traceback (most recent call last):
        ...
        kulami_solver.errors.PositionError: the game is not over: black is to move
    """

    layout: Layout
    scoring: Scoring = Scoring.LEVEL0
    first: str = RED
    marbles: int = MARBLES
    short_end: bool = False

    name = "kulami"
    seats = _SEATS
    has_chance = False
    has_hidden = False
    may_repeat = False

    def start(self) -> KulamiState:
        position = Position(self.layout, self.first, self.marbles, self.short_end)
        return KulamiState(self, position)

    def read(self, notation: str) -> KulamiState:
        position = Position.from_kfn(notation, self.marbles, self.short_end)
        if position.layout != self.layout:
            raise PositionError(
                f"a position on another layout: this game is played on {self.layout}"
            )
        return KulamiState(self, position)


@dataclass(frozen=True)
class KulamiState(OpenState):
    """A position of Kulami, and what counts, as a `kulami_solver.game.State`."""

    game: KulamiGame
    position: Position

    @property
    def to_move(self) -> int:
        """0 if red is to move, 1 if black is, `NOBODY` once the game is over."""
        return NOBODY if self.position.is_over else _SEATS.index(self.position.turn)

    @property
    def moves(self) -> tuple[str, ...]:
        return self.position.legal_fields

    def play(self, move: str) -> KulamiState:
        return KulamiState(self.game, self.position.play(move))

    def returns(self) -> tuple[int, int]:
        """Return the margin as red and as black see it."""
        if not self.position.is_over:
            raise PositionError("not_over", side=self.position.turn)
        margin = self.position.score(self.game.scoring).margin
        return margin, -margin

    def notation(self) -> str:
        return self.position.kfn()

    def for_bots(self) -> tuple[Position, dict[str, Scoring]]:
        """Return the position, and the scoring for bots that ask for it."""
        return self.position, {"scoring": self.game.scoring}

    def move_of(self, answer: object) -> str:
        """Return the field of an answer, which may be its name or its number."""
        if isinstance(answer, str):
            self.position.play(answer)
            return answer
        number = whole(answer)
        if number is None:
            raise TypeError("no field")
        self.position.play(number)
        return self.position.layout.fields[number]

    def search(
        self, question: Question, sources: Sequence[Source] = (), report: Report | None = None
    ) -> Solution:
        """Solve the position, helped by a database; see `kulami_solver.solve`."""
        budget = question.budget

        def told(progress: Progress) -> None:
            if report is not None and progress.solution is not None:
                report(progress.solution)

        return solve(
            self.position,
            self.game.scoring,
            question.goal,
            threads=budget.threads,
            memory=budget.memory,
            time=budget.seconds,
            nodes=budget.nodes,
            every_move=question.every_move,
            database=_helper(sources, self),
            progress=False if report is None else told,
            stop=budget.stop,
        )


def _helper(sources: Sequence[Any], state: KulamiState) -> OpenDatabase | None:
    """Return the first source that a search of this state can look positions up in."""
    for source in sources:
        if (
            hasattr(source, "oracle")
            and source.scoring is state.game.scoring
            and source.may_hold(state.position)
        ):
            helper: OpenDatabase = source
            return helper
    return None


def state_of(position: Position, scoring: Scoring = Scoring.LEVEL0) -> KulamiState:
    """Return a position as a state, with what counts.

    Examples:
        >>> state = state_of(Position(Layout.parse("AAB/CCB")), Scoring.CHAINS)
        >>> state.moves[0], state.game.scoring
        ('a1', <Scoring.CHAINS: 'chains'>)
    """
    game = KulamiGame(
        position.layout, scoring, position.first, position.marbles, position.short_end
    )
    return KulamiState(game, position)


def make_game(
    layout: Layout | str = "square",
    scoring: Scoring | str | int = Scoring.LEVEL0,
    first: str = RED,
    marbles: int = MARBLES,
    short_end: bool = False,
) -> KulamiGame:
    """Return Kulami with these options.

    Args:
        layout: a layout, its rows separated by "/", or "square" or "rulebook".
        scoring: what counts.
        first: the side that begins.
        marbles, short_end: as for `Position`.

    Raises:
        KulamiError: if one of them makes no sense.

    Examples:
        >>> make_game("square", scoring="chains").scoring
        <Scoring.CHAINS: 'chains'>
    """
    if not isinstance(layout, Layout):
        layout = named_layout(layout) or Layout.parse(layout)
    first = parse_turn(first, "first")
    return KulamiGame(layout, Scoring.parse(scoring), first, marbles, short_end)


def _open_database(path: str) -> object:
    from .database.probe import open_database

    return open_database(path)


def _open_proof(path: str) -> object:
    from .proof.proof import open_proof

    return open_proof(path)


GAME = Descriptor(
    name="kulami",
    title="Kulami",
    make=make_game,
    options=(
        Option("layout", "text", "square", "square, rulebook, or rows of panels with / between"),
        Option(
            "scoring",
            "choice",
            "0",
            "what counts: panels, area (1), chains (2)",
            choices=tuple(one.value for one in Scoring),
        ),
        Option("first", "choice", RED, "the side that begins", choices=_SEATS),
        Option("marbles", "number", MARBLES, "of each side", least=1, most=64),
        Option("short_end", "switch", False, "end when one side has placed all its marbles"),
    ),
    notation="KFN",
    seats=_SEATS,
    samples=({"layout": "AAB/CCB"}, {"layout": "ABBC/ABBC/DDEE", "scoring": "2"}),
    database=_open_database,
    table_plies=lambda state: table_plies(state.position.plies_left, state.game.scoring),
    proof=_open_proof,
)
"""Kulami."""
