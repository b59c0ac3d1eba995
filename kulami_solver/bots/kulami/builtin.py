"""Kulami's built-in bots that prove nothing: random, greedy, alpha-beta, tree search.

The answer depends only on the position, the scoring, the clock and the seed, so a check or a match
gives the same result in whatever order it is done. Only a limit in seconds makes answers depend on
the machine, and lets `MonteCarlo` go on with the tree of its last move.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Collection, Iterable
from typing import Any, Final

from ...core.memory import MIB
from ...errors import KulamiError, checked_kind
from ...kulami.estimate.chances import estimate_of
from ...kulami.estimate.effort import expected_seconds
from ...kulami.estimate.learned_tree import LearnedTree
from ...kulami.position.position import Position, checked_position
from ...kulami.position.scoring import Scoring
from ...kulami.solve.evaluation import viewing
from ...kulami.solve.solver import Solver
from ..builtin import chance
from ..protocol import Clock, Thought

_NO_CLOCK = Clock()

_SMALLEST: Final = 1 << 16  # bytes of a table that is not used
_LOOK_TABLE: Final = (1, 64)  # MiB of the table of a look: the least and the most
_NODE_BYTES: Final = 16  # bytes of that table for each node of the look
_SPEED: Final = 2_000_000  # nodes a second of a look, about
_LOOKED_AT: Final = 200_000  # nodes of a look where nothing limits it


def _chance(seed: int, position: Position, scoring: Scoring) -> int:
    """Return 64 random bits determined by a seed and a position."""
    check_asked(position, scoring)
    return chance(seed, scoring.value, position.kfn())


def check_asked(position: Position, scoring: Scoring, clock: Clock = _NO_CLOCK) -> None:
    """Refuse arguments of `choose` that are of another kind."""
    checked_position(position)
    checked_kind(scoring, Scoring, "scoring is a Scoring")
    checked_kind(clock, Clock, "a clock is a Clock")


class Random:
    """Plays any legal field.

    Args:
        seed: the same seed plays the same field in a position.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> start = Position(Layout.square())
        >>> Random(1).choose(start) == Random(1).choose(start)
        True
    """

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def choose(self, position: Position, *, scoring: Scoring = Scoring.LEVEL0) -> str:
        """Return any legal field."""
        draw = random.Random(_chance(self.seed, position, scoring)).random()
        fields = position.legal_fields
        return fields[int(draw * len(fields))]


class Greedy:
    """Plays the field after which the present score is best for it.

    Among equal fields chance decides, as for `Random`.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> Greedy().choose(Position(Layout.parse("AAABC")))[0] in "abc"
        True
    """

    name = "greedy"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def choose(self, position: Position, *, scoring: Scoring = Scoring.LEVEL0) -> str:
        """Return the legal field that scores most at once."""
        draw = random.Random(_chance(self.seed, position, scoring)).random
        margins = {one: -position.play(one).margin(scoring) for one in position.legal_fields}
        worth = {field: (margin, draw()) for field, margin in margins.items()}
        return max(worth, key=worth.__getitem__)


class AlphaBeta:
    """Looks some plies ahead over the learned evaluation; see `kulami.deepening`.

    It looks a ply further each time until its clock ends, or its depth is reached. Where the clock
    has no limit, it ends after 200,000 positions.

    Args:
        depth: plies, 1 to 64.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> AlphaBeta(6).choose(Position(Layout.parse("AAB/CCB")).play("a1"))
        'c1'
    """

    def __init__(self, depth: int = 4) -> None:
        self.depth: Final = depth
        self.name = f"alphabeta:{depth}"
        self.thought: Thought | None = None
        """The bot's opinion of its last choice."""

    def choose(
        self,
        position: Position,
        *,
        scoring: Scoring = Scoring.LEVEL0,
        clock: Clock = _NO_CLOCK,
        among: Collection[str] | None = None,
    ) -> str:
        """Return the field that looks best; arguments as for `MonteCarlo`."""
        return next(iter(self.values(position, scoring, clock, among)))

    def values(
        self,
        position: Position,
        scoring: Scoring,
        clock: Clock = _NO_CLOCK,
        among: Collection[str] | None = None,
        every: bool = False,
    ) -> dict[str, float]:
        """Return estimates of fields in points, best first.

        Args:
            position: its game is not over.
            scoring: what counts.
            clock: how long it may think.
            among: the fields; None for every legal one.
            every: whether each field is looked at as closely as the best; if not, the values of the
                others show only that they look no better.

        Raises:
            ValueError: if none of the fields is legal.
        """
        check_asked(position, scoring, clock)
        nodes = _LOOKED_AT if clock.nodes is None and clock.seconds is None else clock.nodes
        solver = Solver(position, scoring, _SMALLEST)
        solver.bounds(position)
        looking = solver.look_ahead(_table_bytes(nodes, clock.seconds))
        depth = self.depth if clock.depth is None else min(self.depth, clock.depth)
        mask = _mask(position, among)
        seen = looking.look(depth, nodes, clock.seconds, clock.stopped, mask, every)
        values = {position.layout.fields[field]: value for field, value in seen.items()}
        best = next(iter(values))
        chances, reached = _chances(values[best], position, scoring), max(looking.depth, 1)
        self.thought = Thought((best,), values[best], looking.nodes, reached, chances=chances)
        return values


class MonteCarlo:
    """Tree search (PUCT) over the value of positions at a glance; see `kulami.learned_tree`.

    With a clock of seconds, and without a number of playouts, it keeps what it saw of the positions
    after its move and the reply.

    Args:
        playouts: positions for each move, 1 or more; None: 1,000, or as many as the clock allows.
        seed: of the games at random that it plays where areas count.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> MonteCarlo(500).choose(Position(Layout.parse("AAB/CCB")).play("a1"))
        'c1'
    """

    usual: Final = 1000

    def __init__(self, playouts: int | None = None, seed: int = 0) -> None:
        self.playouts: Final = playouts
        self.seed = seed
        self.name = "mcts" if playouts is None else f"mcts:{playouts}"
        self.thought: Thought | None = None
        """The bot's opinion of its last choice."""
        self._trees: deque[LearnedTree] = deque(maxlen=1)

    def choose(
        self,
        position: Position,
        *,
        scoring: Scoring = Scoring.LEVEL0,
        clock: Clock = _NO_CLOCK,
        among: Collection[str] | None = None,
    ) -> str:
        """Return the field visited most often.

        Args:
            position: its game is not over.
            scoring: what counts.
            clock: how long it may think.
            among: the fields to choose from; None for every legal one.

        Raises:
            ValueError: if none of `among` is legal.
        """
        check_asked(position, scoring, clock)
        playouts = self.playouts if clock.nodes is None else clock.nodes
        if playouts is None and clock.seconds is None:
            playouts = self.usual
        mask = _mask(position, among)
        view = viewing(position.layout.geometry, scoring)
        # Another thread that chooses at the same time finds no tree here, and makes its own.
        try:
            tree = self._trees.pop()
        except IndexError:
            tree = LearnedTree(view, self.seed)
        if tree.viewing is not view:
            tree = LearnedTree(view, self.seed)
        # With a number of playouts the answer has to depend on the position and the seed alone.
        limits: Any = playouts, clock.seconds, clock.stopped, mask, playouts is None
        seen = tree.look(*position.view, position.supply, *limits)
        best = next(iter(seen))
        line = tuple(position.layout.fields[field] for field in tree.line())
        visits = tree.visits
        self._trees.append(tree)
        chances = _chances(seen[best], position, scoring)
        self.thought = Thought(line, seen[best], visits, len(line), chances=chances)
        return position.layout.fields[best]


def _chances(value: float, position: Position, scoring: Scoring) -> tuple[float, float, float]:
    """Return the chances of a win, a draw and a loss that correspond to a value."""
    found = estimate_of(value, position.plies_left, scoring)
    return found.win, found.draw, found.loss


def _mask(position: Position, among: Collection[str] | None) -> int:
    """Return these fields as a mask; None for every legal one."""
    given = position.legal_fields if among is None else among
    fields = {*checked_kind(given, Iterable, "fields are a list of names")}
    if not fields:
        raise KulamiError("there is no field to choose from")
    return sum(1 << position.layout.index(field) for field in fields)


def _table_bytes(nodes: int | None, seconds: float | None) -> int:
    """Return the size of the table for a look with these limits."""
    least, most = (size * MIB for size in _LOOK_TABLE)
    looked_at = [float(most)]
    if nodes is not None:
        looked_at.append(_NODE_BYTES * nodes)
    if seconds is not None:
        looked_at.append(_NODE_BYTES * _SPEED * seconds)
    return max(least, int(min(looked_at)))


# Positions too large to be solved: a sentence that says so, and a guess, always shown as a guess

# Positions expected to take more seconds are out of reach: with 40 free fields on 8x8 a search
# takes about a minute, which people accept.
_REACH: Final = 60.0

# They take a fifth of a second for the empty 8x8 board.
_OF_A_GUESS: Final = 100_000

GUESSER: Final = f"mcts:{_OF_A_GUESS}"
"""The bot that guesses."""


def out_of_reach(position: Position, scoring: Scoring = Scoring.LEVEL0) -> str | None:
    """Return a sentence if a position's exact value is out of reach, None if it is not.

    Examples:
        >>> from kulami_solver import Layout
        >>> out_of_reach(Position(Layout.square()).play_all("d4 d7"))
        'exact from about 41 free fields; this has 62'
        >>> out_of_reach(Position(Layout.parse("AAB/CCB"))) is None
        True
    """
    plies = position.plies_left
    if position.is_over or expected_seconds(plies, scoring) <= _REACH:
        return None
    reached = plies
    while expected_seconds(reached, scoring) > _REACH:
        reached -= 1
    free = position.free_count
    return f"exact from about {free - plies + reached} free fields; this has {free}"


def guessed_field(position: Position, scoring: Scoring = Scoring.LEVEL0) -> str:
    """Return the field that `GUESSER` would play, always the same; the game must not be over.

    Examples:
        >>> from kulami_solver import Layout
        >>> guessed_field(Position(Layout.parse("AAB/CCB")).play("a1"))
        'c1'
    """
    return MonteCarlo(_OF_A_GUESS).choose(position, scoring=scoring)
