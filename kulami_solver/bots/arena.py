"""One game between bots, refereed: any game of `kulami_solver.game`.

The arena knows the rules: it gives each bot the position as its player may know it, and draws the
moves of chance. A bot that gives no legal move, or gives it too late, loses by forfeit. Of a clock
for the whole game it proposes a part for each move.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from ..core.game_records import positions_after
from ..core.notation import so_many
from ..core.whole_numbers import seeded, whole
from ..errors import KulamiError, checked_kind
from ..game import CHANCE, NOBODY, State, checked_state, part
from .overheard import failure_lines
from .protocol import GRACE, BotCrashed, BotError, BotTimedOut, Clock, Player, SolvingBot

__all__ = ["Opening", "play_game"]


@dataclass(frozen=True)
class Opening:
    """The state a game starts from, and the moves made before the bots take over."""

    start: State
    moves: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checked_state(self.start)

    @property
    def end(self) -> Any:
        """The state after the last move."""
        return positions_after(self.start, self.moves)[-1]


@dataclass(frozen=True)
class FinishedGame(Opening):
    """A game that was played: all moves from its start, including those of chance.

    Attributes:
        players: the bots' names by seat.
        opening: how many of the moves belong to the opening.
        seconds: the time each seat took in all.
        forfeit: the seat that lost by forfeit, None for a game that was played to its end.
        fault: "illegal", "timeout" or "crash" then; `message` says what happened, and `details`
            where, as far as that is known: a traceback, or a program's last lines.
        crashes: how often each seat crashed and was started again, before this game or in it.
        adjudicated: the ply from which best play was added, None if the bots played on.
    """

    players: tuple[str, ...] = ()
    opening: int = 0
    seconds: tuple[float, ...] | None = None
    forfeit: int | None = None
    fault: str | None = None
    message: str = ""
    adjudicated: int | None = None
    details: tuple[str, ...] = ()
    crashes: tuple[int, ...] = ()

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """The share of the game's point of each seat.

        The seats that have won most share it; after a forfeit, all other seats do.
        """
        if self.forfeit is not None:
            first = [seat for seat in range(len(self.players)) if seat != self.forfeit]
        else:
            returns = self.end.returns()
            first = [seat for seat, won in enumerate(returns) if won == max(returns)]
        part = Fraction(1, len(first))
        return tuple(part if seat in first else Fraction(0) for seat in range(len(self.players)))

    @property
    def winner(self) -> int | None:
        """The only seat that has won, None for a draw."""
        shares = self.shares
        return shares.index(Fraction(1)) if Fraction(1) in shares else None


def draw_chance(state: State, draw: random.Random) -> str:
    """Return one of a state's moves, each as likely as its `chances` say."""
    return draw.choices(state.moves, weights=[float(chance) for chance in state.chances()])[0]


def play_game(
    players: Sequence[Player],
    opening: Opening,
    clock: Clock | None = None,
    adjudicate: Callable[[State], Sequence[str]] | None = None,
    watch: Callable[[State], None] | None = None,
    seed: int = 0,
    recover: bool = False,
) -> FinishedGame:
    """Play one game.

    Args:
        players: the bots, one for each seat.
        opening: the opening they continue.
        clock: how long each bot may think about each move, or about all its moves.
        adjudicate: asked before each move of a bot for best play to the end of the game, which
            is then added; returns no moves if the bots are to play on.
        watch: called with each state the bots have reached.
        seed: of the moves of chance.
        recover: start a bot that crashes again, and ask it once more for its move; if it crashes at
            that, too, it loses.

    Raises:
        KulamiError: if there are not as many players as seats, or another argument is none.

    Examples:
        >>> from kulami_solver.bots import Greedy
        >>> from kulami_solver.game import load_game
        >>> greedy = Player(Greedy())
        >>> game = play_game((greedy, greedy), Opening(load_game("kulami", layout="AABC").start()))
        >>> game.moves[0] in ("a1", "b1"), game.forfeit, game.players
        (True, None, ('greedy', 'greedy'))
    """
    seats = checked_kind(opening, Opening, "a game goes on from an Opening").start.game.seats
    if len(checked_kind(players, Sequence, "players are a list of Players")) != len(seats):
        bots = so_many(len(players), "bot")
        raise KulamiError(f"{bots} for {len(seats)} seats: give one for each")
    for player in players:
        checked_kind(player, Player, "a player is a Player, which takes any bot")
    clock = checked_kind(clock or Clock(), Clock, "a clock is a Clock")
    for function in (adjudicate, watch):
        checked_kind(function, Callable | None, "adjudicate and watch are functions")
    draw = seeded(seed)
    state: State = opening.end
    moves = list(opening.moves)
    seconds = [0.0] * len(seats)
    crashes = [0] * len(seats)
    left = [] if clock.game is None else [clock.game] * len(seats)
    forfeit = fault = adjudicated = None
    message = ""
    details: tuple[str, ...] = ()
    try:
        for seat, player in enumerate(players):
            # The seat that forfeits if new_game fails.
            forfeit = seat
            player.new_game()
        forfeit = None
        while state.to_move != NOBODY:
            if state.to_move == CHANCE:
                moves.append(draw_chance(state, draw))
                state = state.play(moves[-1])
                continue
            rest = () if adjudicate is None else adjudicate(state)
            if rest:
                positions_after(state, rest)  # refuses what are no such moves
                adjudicated = len(moves)
                moves += rest
                break
            forfeit = state.to_move
            given = _clock_of_move(clock, left, state, players[forfeit].bot) if left else clock
            move, took, crashed = _reply(players[forfeit], state, given, recover)
            crashes[forfeit] += crashed
            seconds[forfeit] += took
            if given.latest is not None and took > given.latest + GRACE:
                raise BotTimedOut(
                    f"{players[forfeit].name}: {took:.2f} s for a move of "
                    f"{round(given.latest, 2):g} s"
                )
            if left:
                left[forfeit] += clock.increment - took
            forfeit = None
            state = state.play(move)
            moves.append(move)
            if watch is not None:
                watch(state)
    except BotError as error:
        fault = "crash" if error.kind in ("unusable", "refused") else error.kind
        message = str(error)
        if forfeit is not None:
            details = failure_lines(players[forfeit], error)
    return FinishedGame(
        start=opening.start,
        moves=tuple(moves),
        players=tuple(player.name for player in players),
        opening=len(opening.moves),
        seconds=tuple(seconds),
        forfeit=forfeit,
        fault=fault,
        message=message,
        adjudicated=adjudicated,
        details=details,
        crashes=tuple(crashes),
    )


def _reply(player: Player, state: State, clock: Clock, recover: bool) -> tuple[str, float, bool]:
    """Return a bot's move, the time it took, and whether it was started again before."""
    try:
        return *player.timed(state, clock), False
    except BotCrashed:
        if not recover:
            raise
    player.new_game()  # starts a program or a process that has ended
    return *player.timed(state, clock), True


# A clock for a whole game

_MOST: Final = 0.75
"""The largest share of the time left for one move."""

_LEAST: Final = 0.001
"""Seconds that a bot gets for a move even if its time has run out."""

_USUAL: Final = 40
"""Assumed number of plies to come, for games that give none."""


def part_of(left: float, increment: float, state: State, bot: object) -> float:
    """Return the time a bot should use for a move, in the unit of `left`.

    Args:
        left: the time it has left.
        increment: the time that each further move adds.
        state: the state in which it is to move.
        bot: the bot; plies that it solves at once need no time.

    Examples:
        >>> from kulami_solver.game import load_game
        >>> start = load_game("kulami", layout="AAB/CCB").start()
        >>> part_of(12.0, 0.0, start, None), part_of(12.0, 30.0, start, None)
        (3.0, 9.0)
    """
    dialect = getattr(part(state.game.name, "bots"), "DIALECT", None)
    plies = _USUAL if dialect is None else int(dialect.plies_left(state.position))
    if isinstance(bot, SolvingBot):
        plies -= whole(bot.solved_at_once) or 0
    moves = max(1, plies // 2)  # about half of the plies to come are its own
    return min(_MOST * left, left / (moves + 1) + 0.8 * increment)


def _clock_of_move(clock: Clock, left: Sequence[float], state: State, bot: object) -> Clock:
    """Return the clock of a bot's next move; `left` are the seconds that each seat has left."""
    seat = state.to_move
    share = part_of(left[seat], clock.increment, state, bot)
    return replace(clock, seconds=max(share, _LEAST), left=tuple(left), seat=seat)
