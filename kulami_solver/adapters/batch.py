"""Many games of Kulami stepped at once over NumPy arrays, for training.

    actions        one field number a game, -1 where the game is over
    step           rewards (games, 2) of red and black, and which games ended
    legal masks    (games, 64) of booleans, or one word of 64 bits a game
    observations   (games, planes, height, width), in the view of the side to move

Field i of a layout is number i in `Layout.fields`. The games run in compiled code that knows the
rules only, without Python's lock: several batches in several threads use several cores.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal, NoReturn

import numpy as np
import numpy.typing as npt

from ..core.budgets import number_within
from ..core.notation import RED, parse_turn
from ..core.whole_numbers import checked_seed, plain_array, whole_array
from ..errors import IllegalMoveError, KulamiError, checked_kind, quoted
from ..kulami.position.edition import Edition
from ..kulami.position.layout import Layout
from ..kulami.position.layout_text import MAX_FIELDS
from ..kulami.position.position import Position, restored
from ..kulami.position.scoring import Scoring
from ..kulami.position.stepping import Games
from .planes import MOVING, PLACED, PLANES, TO_MOVE, Planes

__all__ = ["NO_ACTION", "Batch"]

NO_ACTION: Final = -1
"""The action of a game that is over."""

_MOST_GAMES: Final = 1 << 24

Words = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]


class Batch:
    """Games of Kulami that are played side by side.

    Args:
        games: how many, 1 to 2^24.
        layouts: the layout of all games, or several; game i is then on number i modulo their count.
        scoring: what counts.
        first: who begins.
        seed: of the random actions, 0 or more: those of game i depend on the seed and i, not on the
            number of games.
        rewards: "margin", or "outcome" for 1, 0 and -1.
        again: games that have ended begin anew within the same step.
        options: of the rules, as for `Position`.

    Attributes:
        scoring: what counts.
        layouts: the layouts; `numbers` has the one of each game.
        numbers: for each game, the number of its layout.

    Raises:
        KulamiError: if one of them makes no sense.

    Examples:
        >>> batch = Batch(1000, Layout.square(), seed=1)
        >>> while not batch.ended.all():
        ...     rewards, ended = batch.step(batch.random_actions())
        >>> int(batch.margins[0]) == batch.position(0).score().margin
        True
    """

    def __init__(
        self,
        games: int,
        layouts: Layout | Iterable[Layout],
        scoring: Scoring | str | int = Scoring.LEVEL0,
        *,
        first: str = RED,
        seed: int = 0,
        rewards: Literal["margin", "outcome"] = "margin",
        again: bool = False,
        **options: Any,
    ) -> None:
        games = number_within(games, "games", 1, _MOST_GAMES)
        if rewards not in ("margin", "outcome"):
            raise KulamiError(f"rewards is {quoted(rewards)}: give 'margin' or 'outcome'")
        if not isinstance(again, bool):
            raise KulamiError(f"again is {quoted(again)}: give True or False")
        self.scoring: Final = Scoring.parse(scoring)
        self._first = parse_turn(first, "first")
        self._edition = Edition(**options)
        self._outcome = rewards == "outcome"
        self._again = again
        seed = checked_seed(seed)
        self._games: Final = Games(games, self.scoring.area, self.scoring.chains)
        self._set_layouts(layouts)
        self._begin(np.ones(games, np.uint8), seed)

    def __len__(self) -> int:
        return self._games.count

    def __reduce__(self) -> NoReturn:
        raise KulamiError("a batch is neither copied nor pickled: make another one")

    # Layouts

    def _set_layouts(self, layouts: Layout | Iterable[Layout]) -> None:
        chosen = _checked_layouts(layouts)
        self.layouts: tuple[Layout, ...] = chosen
        self.numbers: npt.NDArray[np.int32] = (np.arange(len(self)) % len(chosen)).astype(np.int32)
        self.numbers.flags.writeable = False
        self.height = max(layout.height for layout in chosen)
        self.width = max(layout.width for layout in chosen)
        self._drawn: tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]] | None = None

    # Playing

    def reset(
        self,
        *,
        where: npt.ArrayLike | None = None,
        layouts: Layout | Iterable[Layout] | None = None,
        seed: int | None = None,
    ) -> None:
        """Begin games anew.

        Args:
            where: which games, one boolean a game; all by default.
            layouts: other layouts, as for a new batch; only for all games.
            seed: of the random actions of these games; by default the random numbers go on.

        Raises:
            KulamiError: if an argument makes no sense; nothing has changed then.

        Examples:
            >>> batch = Batch(2, Layout.square())
            >>> _ = batch.step([0, 1])
            >>> batch.reset(where=[True, False])
            >>> batch.position(0).free_count, batch.position(1).free_count
            (64, 63)
        """
        chosen = np.ones(len(self), np.uint8)
        if where is not None:
            given = plain_array(where)
            if given is None or given.dtype != np.bool_ or given.shape != (len(self),):
                raise KulamiError(
                    f"where is {_described(where)}: give {len(self)} booleans, one a game"
                )
            chosen = given.astype(np.uint8)
            if layouts is not None:
                raise KulamiError("where and layouts: other layouts are for all games; give one")
        if seed is not None:
            seed = checked_seed(seed)
        if layouts is not None:
            self._set_layouts(layouts)
        self._begin(chosen, seed)

    def _begin(self, chosen: npt.NDArray[np.uint8], seed: int | None) -> None:
        if seed is not None:
            self._luck = _seeds(seed, len(self))
        boards = [layout.geometry for layout in self.layouts]
        begins = int(self._first != RED), self._edition.in_all, seed is not None
        self._games.begin(boards, self.numbers, chosen, self._luck, *begins)

    def step(self, actions: npt.ArrayLike) -> tuple[npt.NDArray[np.int16], Flags]:
        """Place a marble in each game.

        Args:
            actions: a field number for each game, `NO_ACTION` (-1) for one that is over.

        Returns:
            The rewards, (games, 2), of red and black from games that have ended with this action, 0
            from others; and which games have ended.

        Raises:
            KulamiError: if the number of actions is not that of games, or they are no whole
                numbers, or one is not legal (an `IllegalMoveError`); nothing has changed then.

        Examples:
            >>> batch = Batch(2, Layout.parse("AAB/CCB"))
            >>> rewards, ended = batch.step([0, 5])
            >>> ended.tolist(), batch.position(1).kfn()
            ([False, False], 'AAB/CCB 3/2r b c2')
            >>> batch.step([0, 0])
            Traceback (most recent call last):
            ...
            kulami_solver.errors.IllegalMoveError: game 0: black cannot play a1: it is taken
        """
        given = whole_array(actions)
        if given is None or given.shape != (len(self),) or given.dtype == object:
            said = _described(actions if given is None else given)
            raise KulamiError(f"actions are {said}: give {len(self)} whole numbers, one a game")
        fields = given
        if given.dtype == np.uint64:  # a number too large for 64 signed bits is no field
            fields = np.minimum(given, np.uint64(MAX_FIELDS))
        fields = np.ascontiguousarray(fields, np.int64)
        rewards = np.empty((len(self), 2), np.int16)
        ended = np.empty(len(self), np.bool_)
        wrong = self._games.step(fields, rewards, ended.view(np.uint8), self._outcome, self._again)
        if wrong >= 0:
            raise self._refusal(wrong, int(given[wrong]))
        return rewards, ended

    def _refusal(self, game: int, action: int) -> KulamiError:
        """The error that says why an action cannot be played."""
        position = self.position(game)
        if action == NO_ACTION and not position.is_over:
            return KulamiError(
                f"game {game}: {NO_ACTION} is for games that are over, and {position.turn} can play"
            )
        try:
            position.play(action)
        except KulamiError as error:
            if not position.is_over:
                return error.at("text_game", number=game)
            return IllegalMoveError(f"game {game}: {error}; give {NO_ACTION}")
        return IllegalMoveError(
            f"game {game}: what it was to play was not legal, and another thread has written "
            f"{action} over it; leave actions alone until they are played"
        )

    def random_actions(self) -> npt.NDArray[np.int64]:
        """Return a random legal action of each game, all equally likely; -1 if the game is over."""
        actions = np.empty(len(self), np.int64)
        self._games.draw(actions)
        return actions

    def rollouts(self, times: int = 1) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.uint8]]:
        """Play every game to its end at random, `times` times; the games themselves stay unchanged.

        Args:
            times: 1 to 2^20.

        Returns:
            Red's score minus black's, (games, times), and how many marbles were placed.

        Raises:
            KulamiError: if `times` makes no sense.

        Examples:
            >>> margins, plies = Batch(3, Layout.square(), seed=5).rollouts(10)
            >>> margins.shape, bool((plies > 17).all())
            ((3, 10), True)
        """
        times = number_within(times, "times", 1, 1 << 20)
        margins = np.empty((len(self), times), np.int16)
        plies = np.empty((len(self), times), np.uint8)
        self._games.roll_out(margins, plies)
        return margins, plies

    # Properties of the games

    @property
    def legal_bits(self) -> Words:
        """The legal fields of each game: bit i of a word is field i; 0 where the game is over."""
        masks = np.empty(len(self), np.uint64)
        self._games.legal(masks)
        return masks

    @property
    def legal_masks(self) -> Flags:
        """The legal fields of each game as booleans, (games, 64)."""
        masks = np.empty((len(self), MAX_FIELDS), np.bool_)
        self._games.spread(masks.view(np.uint8))
        return masks

    @property
    def ended(self) -> Flags:
        """Which games are over."""
        over: Flags = self.legal_bits == 0
        return over

    @property
    def turns(self) -> npt.NDArray[np.uint8]:
        """The side to move in each game, 0 red, 1 black; also after the game's end."""
        return self.arrays()["turn"]

    @property
    def margins(self) -> npt.NDArray[np.int16]:
        """Red's present score minus black's in each game."""
        return self.arrays()["margin"]

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the games as arrays, by the names of the columns that `kulami labels` writes.

        Examples:
            >>> batch = Batch(2, Layout.parse("AAB/CCB"))
            >>> _ = batch.step([0, 5])
            >>> {name: column.tolist() for name, column in batch.arrays().items()}
            {'red': [1, 32], 'black': [0, 0], 'legal': [12, 24], 'last': [0, 5], 'before': [-1, -1],
             'turn': [1, 1], 'supply': [55, 55], 'margin': [2, 2]}
        """
        kinds: dict[str, Any] = dict.fromkeys(("red", "black", "legal"), np.uint64)
        kinds |= {"last": np.int8, "before": np.int8, "turn": np.uint8, "supply": np.uint8}
        kinds["margin"] = np.int16
        columns = {name: np.empty(len(self), kind) for name, kind in kinds.items()}
        self._games.show(*columns.values())
        return columns

    def position(self, game: int) -> Position:
        """Return the position of a game.

        Raises:
            KulamiError: if there is no such game.
        """
        game = number_within(game, "game", 0, len(self) - 1)
        shown, layout = self.arrays(), self.layouts[self.numbers[game]]
        placed = {name: int(shown[name][game]) for name in PLACED}
        return restored(layout, edition=self._edition, **placed)

    def observe(self, out: npt.NDArray[np.float32] | None = None) -> npt.NDArray[np.float32]:
        """Return the observations of the sides to move: (games, planes, height, width).

        The planes are `kulami_solver.adapters.planes.PLANES`, in the view of the side to move.

        Args:
            out: an array to fill in instead of a new one.

        Raises:
            KulamiError: if `out` is not of that shape, of float32, and in one piece.

        Examples:
            >>> batch = Batch(2, Layout.parse("AAB/CCB"))
            >>> _ = batch.step([0, 5])
            >>> seen = batch.observe()
            >>> seen.shape, seen[0, PLANES.index("other")].tolist()
            ((2, 11, 2, 3), [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
        """
        shape = (len(self), len(PLANES), self.height, self.width)
        if out is None:
            out = np.empty(shape, np.float32)
        elif (
            not isinstance(out, np.ndarray)
            or out.dtype != np.float32
            or out.shape != shape
            or not out.flags.c_contiguous
            or not out.flags.writeable
        ):
            raise KulamiError(
                f"out is {_described(out)}: give a writable array of float32 in one piece, of "
                f"shape {shape}"
            )
        if self._drawn is None:
            self._drawn = _still_planes(self.layouts, self.height, self.width)
        self._games.observe(out.reshape(*shape[:2], -1), *self._drawn)
        return out


def _still_planes(
    layouts: tuple[Layout, ...], height: int, width: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """The square of every field of each layout, and the planes that do not follow the marbles."""
    squares = np.zeros((len(layouts), MAX_FIELDS), np.uint8)
    made = [Planes(layout, height, width) for layout in layouts]
    for row, one in zip(squares, made, strict=True):
        row[: len(one.layout)] = one.rows * width + one.columns
    still = np.stack([one.still for one in made])
    still[:, TO_MOVE] = 1
    return squares, np.ascontiguousarray(still[:, MOVING:]).reshape(len(made), -1, height * width)


def _checked_layouts(layouts: Layout | Iterable[Layout]) -> tuple[Layout, ...]:
    if isinstance(layouts, Layout):
        return (layouts,)
    try:
        chosen = (layouts,) if isinstance(layouts, str) else tuple(layouts)
    except TypeError:
        chosen = ()
    for layout in chosen:
        checked_kind(layout, Layout, "layouts are Layouts, as Layout.parse makes them")
    if not chosen:
        raise KulamiError(f"layouts is {quoted(layouts)}: give a Layout, or several")
    return chosen


def _seeds(seed: int, games: int) -> Words:
    """A seed for each game."""
    drawn = np.random.SeedSequence(seed).generate_state(1, np.uint64)
    with np.errstate(over="ignore"):
        return np.asarray(drawn + np.arange(games, dtype=np.uint64), np.uint64)


def _described(given: npt.ArrayLike) -> str:
    array = plain_array(given)
    return quoted(given) if array is None else f"{array.dtype} of shape {array.shape}"
