"""Kulami's built-in bots that prove nothing: random, greedy, alpha-beta, look-ahead, trees.

The answer depends only on the position, the scoring, the clock and the seed, so a check or a match
gives the same result in whatever order it is done. Only a limit in seconds makes answers depend on
the machine, and lets `Puct` go on with the tree of its last move.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Collection
from typing import Final

from ...core.memory import MIB
from ...errors import Phrase
from ...kulami.estimate.chances import estimate_of
from ...kulami.estimate.effort import expected_seconds
from ...kulami.estimate.evaluation import viewing
from ...kulami.estimate.learned_tree import LearnedTree
from ...kulami.estimate.playouts import DepthSearch, TreeSearch
from ...kulami.position.position import Position
from ...kulami.position.scoring import Scoring
from ...kulami.solve.solver import Solver
from ..builtin import chance
from ..protocol import Clock, Thought

_NO_CLOCK = Clock()

_EVEN: Final = 0.5  # the mean reward of playouts that promise no margin
_POINTS: Final = 32  # points of margin that correspond to a reward of 1

_SMALLEST: Final = 1 << 16  # bytes of a table that is not used
_LOOK_TABLE: Final = (1, 64)  # MiB of the table of a look: the least and the most
_NODE_BYTES: Final = 16  # bytes of that table for each node of the look
_LOOKED_AT: Final = 2_000_000  # nodes a second of a look, about


def _chance(seed: int, position: Position, scoring: Scoring) -> int:
    """Return 64 random bits determined by a seed and a position."""
    return chance(seed, scoring.value, position.kfn())


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
        fields = position.legal_fields
        draw = random.Random(_chance(self.seed, position, scoring)).random()
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
        worth = {
            field: (-position.play(field).margin(scoring), draw())
            for field in position.legal_fields
        }
        return max(worth, key=worth.__getitem__)


class AlphaBeta:
    """Looks `depth` plies ahead over a heuristic, which `kulami.playouts` documents.

    In points, for each side: what panels promise (fields * lead / (free fields on it + 1), all of
    it once the panel cannot turn), its largest area and chains where they count, and a little for
    runs of five squares that only it has marbles on.

    Args:
        depth: plies, 1 to 64. With a limit of time or nodes it deepens ply by ply until then.

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
        self, position: Position, *, scoring: Scoring = Scoring.LEVEL0, clock: Clock = _NO_CLOCK
    ) -> str:
        """Return the field that looks best at that depth."""
        return self.judge(position, scoring, clock)[0]

    def judge(self, position: Position, scoring: Scoring, clock: Clock) -> tuple[str, float, int]:
        """Return the field that looks best, its estimate in points, and the depth reached."""
        search = DepthSearch(position.layout.geometry, scoring.area, scoring.chains)
        depth = self.depth if clock.depth is None else min(self.depth, clock.depth)
        field, value, reached = search.best(
            *position.view, position.supply, depth, clock.nodes, clock.seconds, clock.stopped
        )
        chosen = position.layout.fields[field]
        self.thought = Thought((chosen,), value / 64, search.nodes, reached)
        return chosen, value / 64, reached


class _Looking:
    """A bot that looks at a number of positions before it chooses.

    Args:
        nodes: for each move, 1 or more; None: `usual`, or as many as the clock allows.
    """

    usual: int

    def __init__(self, nodes: int | None = None) -> None:
        self.nodes: Final = nodes
        self.thought: Thought | None = None
        """The bot's opinion of its last choice."""

    def most(self, clock: Clock) -> int | None:
        """Return how many positions it may look at; None for no limit but the time."""
        nodes = clock.nodes if self.nodes is None else min(self.nodes, clock.nodes or self.nodes)
        return self.usual if nodes is None and clock.seconds is None else nodes


class LookAhead(_Looking):
    """Looks ahead over the learned evaluation, a ply further each time until its clock ends.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> LookAhead().choose(Position(Layout.parse("AAB/CCB")).play("a1"))
        'c1'
    """

    name = "look"

    usual = 200_000

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
        nodes = self.most(clock)
        solver = Solver(position, scoring, _SMALLEST)
        solver.bounds(position)
        looking = solver.look_ahead(_table_bytes(nodes, clock.seconds))
        depth = position.plies_left if clock.depth is None else clock.depth
        mask = _mask(position, among)
        seen = looking.look(depth, nodes, clock.seconds, clock.stopped, mask, every)
        values = {position.layout.fields[field]: value for field, value in seen.items()}
        best = next(iter(values))
        self.thought = Thought(
            (best,),
            values[best],
            looking.nodes,
            max(looking.depth, 1),
            chances=_chances(values[best], position, scoring),
        )
        return values


class Puct(_Looking):
    """Tree search (PUCT) over the value of positions at a glance; see `kulami.learned_tree`.

    With a clock of seconds, and without a number of nodes, it keeps what it saw of the positions
    after its move and the reply.

    Examples:
        >>> from kulami_solver import Layout, Position
        >>> Puct(500).choose(Position(Layout.parse("AAB/CCB")).play("a1"))
        'c1'
    """

    name = "puct"

    usual = 50_000

    def __init__(self, nodes: int | None = None) -> None:
        super().__init__(nodes)
        self._trees: deque[LearnedTree] = deque(maxlen=1)

    def choose(
        self,
        position: Position,
        *,
        scoring: Scoring = Scoring.LEVEL0,
        clock: Clock = _NO_CLOCK,
        among: Collection[str] | None = None,
    ) -> str:
        """Return the field visited most often; arguments as for `MonteCarlo`."""
        nodes = self.most(clock)
        mask = _mask(position, among)
        view = viewing(position.layout.geometry, scoring)
        # Another thread that chooses at the same time finds no tree here, and makes its own.
        try:
            tree = self._trees.pop()
        except IndexError:
            tree = LearnedTree(view)
        if tree.viewing is not view:
            tree = LearnedTree(view)
        # With a number of nodes the answer has to depend on the position alone.
        seen = tree.look(
            *position.view,
            position.supply,
            nodes,
            clock.seconds,
            clock.stopped,
            mask,
            going_on=nodes is None,
        )
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
    fields = position.legal_fields if among is None else among
    return sum(1 << position.layout.index(field) for field in set(fields))


def _table_bytes(nodes: int | None, seconds: float | None) -> int:
    """Return the size of the table for a look with these limits."""
    least, most = (size * MIB for size in _LOOK_TABLE)
    looked_at = [float(most)]
    if nodes is not None:
        looked_at.append(_NODE_BYTES * nodes)
    if seconds is not None:
        looked_at.append(_NODE_BYTES * _LOOKED_AT * seconds)
    return max(least, int(min(looked_at)))


class MonteCarlo:
    """Monte-Carlo tree search (UCT) with random playouts.

    Args:
        playouts: for each move, 1 or more; None: 1,000, or as many as the clock allows.
        seed: as for `Random`.

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
        """The bot's opinion of its last choice; 16 points is the highest score."""

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
        chance = _chance(self.seed, position, scoring)
        search = TreeSearch(position.layout.geometry, scoring.area, scoring.chains, chance)
        playouts = self.playouts if clock.nodes is None else clock.nodes
        if playouts is None and clock.seconds is None:
            playouts = self.usual
        mask = _mask(position, among)
        field, reward = search.best(
            *position.view, position.supply, playouts, clock.seconds, clock.stopped, mask
        )
        chosen = position.layout.fields[field]
        self.thought = Thought((chosen,), _POINTS * (reward - _EVEN), search.playouts)
        return chosen


# Positions too large to be solved: a sentence that says so, and a guess, always shown as a guess

# Positions expected to take more seconds are out of reach: with 40 free fields on 8x8 a search
# takes about a minute, which people accept.
_REACH: Final = 60.0

# They take a fifth of a second for the empty 8x8 board.
_OF_A_GUESS: Final = 100_000

GUESSER: Final = f"mcts:{_OF_A_GUESS}"
"""The bot that guesses."""


def out_of_reach(position: Position, scoring: Scoring = Scoring.LEVEL0) -> Phrase | None:
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
    return Phrase("exact_later", count=free - plies + reached, free=free)


def guessed_field(position: Position, scoring: Scoring = Scoring.LEVEL0) -> str:
    """Return the field that `GUESSER` would play, always the same; the game must not be over.

    Examples:
        >>> from kulami_solver import Layout
        >>> guessed_field(Position(Layout.parse("AAB/CCB")).play("a1"))
        'c1'
    """
    return MonteCarlo(_OF_A_GUESS).choose(position, scoring=scoring)
