#!/usr/bin/env python3
"""Play games of bots in one thread and in several by turns: how many times the games is that?

    python scripts/bench/bench_threads.py  two threads, mcts:1000 on 8x8 boards
    python scripts/bench/bench_threads.py --bot alphabeta:4 --threads 4 --rounds 9

Each thread has bots of its own and plays games of its own, as many as the one thread alone does:
the games a second of several threads, divided by those of one, are at best as many as the threads.
Each round is a pair, one thread and several; who begins changes from round to round. It prints the
pairs, and the best and the middle ratio:

    games/s     by the clock on the wall, which a busy machine slows down
    own time    likewise, without the time in which a thread was ready to run and had no processor
                (Linux alone tells): work, and waiting for other threads of this process
"""

from __future__ import annotations

import argparse
import statistics
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benching import at_least, load

from kulami_solver.bots import Player, make_player
from kulami_solver.bots.arena import Opening, play_game
from kulami_solver.game import load_game

_WAITED = Path("/proc/thread-self/schedstat")


@dataclass(frozen=True)
class Rates:
    """Games a second, by the clock on the wall and by the threads' own time."""

    wall: float
    own: float


def _waited() -> float:
    """Seconds in which this thread was ready to run and had no processor; 0 if nobody says."""
    try:
        return int(_WAITED.read_text(encoding="ascii").split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


def rates(game: str, bot: str, games: int, threads: int) -> Rates:
    """Play so many games in each of so many threads that begin together.

    Args:
        game: kulami, malawi or just4fun.
        bot: its name, as on the command line; both sides of all games.
        games: of each thread, 1 or more.
        threads: 1 or more.
    """
    start = load_game(game).start()
    barrier = threading.Barrier(threads)

    def play(number: int) -> tuple[float, float, float]:
        """When the thread began and ended, and how long it had no processor meanwhile."""
        players: list[Player] = [
            make_player(bot, seed, game=game) for seed in range(len(start.game.seats))
        ]
        barrier.wait()
        begun, waited = time.perf_counter(), _waited()
        for seed in range(games):
            for player in players:
                player.advance()
            play_game(players, Opening(start), seed=number * games + seed)
        return begun, time.perf_counter(), _waited() - waited

    with ThreadPoolExecutor(threads) as pool:
        played = list(pool.map(play, range(threads)))
    wall = max(end for _, end, _ in played) - min(begun for begun, _, _ in played)
    own = max(end - begun - waited for begun, end, waited in played)
    return Rates(games * threads / wall, games * threads / own)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    whole = at_least(1)
    parser.add_argument("--game", choices=("kulami", "malawi", "just4fun"), default="kulami")
    parser.add_argument("--bot", default="mcts:1000", help="that plays both sides (mcts:1000)")
    parser.add_argument("--games", type=whole, default=4, help="of each thread in a round (4)")
    parser.add_argument("--rounds", type=whole, default=5, help="pairs of one and several (5)")
    parser.add_argument("--threads", type=whole, default=2, help="that are several (2)")
    return parser.parse_args(arguments)


def _lock() -> str:
    """Whether Python's lock is there."""
    enabled = getattr(sys, "_is_gil_enabled", None)
    return "with Python's lock" if enabled is None or enabled() else "without Python's lock"


def main(arguments: list[str] | None = None) -> None:
    """Print the pairs and the ratios."""
    options = _options(arguments)
    print(
        f"{sys.version.split()[0]} {_lock()}: {options.bot} at {options.game}, {options.games} "
        f"games a thread and round; {load()}"
    )
    print(f"{'':8} 1 thread  {options.threads} threads   ratio  own time")
    ratios: list[tuple[float, float]] = []
    for number in range(options.rounds):
        found: dict[int, Rates] = {}
        order = [1, options.threads][:: -1 if number % 2 else 1]
        for threads in order:
            found[threads] = rates(options.game, options.bot, options.games, threads)
        one, several = found[1], found[options.threads]
        ratios.append((several.wall / one.wall, several.own / one.own))
        print(
            f"round {number + 1:<2} {one.wall:8.2f}  {several.wall:9.2f}   "
            f"{ratios[-1][0]:5.2f}  {ratios[-1][1]:8.2f}",
            flush=True,
        )
    for name, chosen in (("best", max), ("middle", statistics.median)):
        wall, own = (chosen(row) for row in zip(*ratios, strict=True))
        print(f"{name:8} {'':8}  {'':9}   {wall:5.2f}  {own:8.2f}")


if __name__ == "__main__":
    main()
