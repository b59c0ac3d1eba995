"""The games that labelled positions are taken from: random ones, or those of bots."""

from __future__ import annotations

from collections.abc import Iterator

from ...bots.arena import Opening, play_game
from ...bots.kulami.match import draw_opening
from ...bots.naming import make_player
from ...bots.protocol import BotCrashed
from ...kulami.position.position import Position
from ..batch import Batch
from .plan import LabelPlan


def positions_of(plan: LabelPlan, group: int, start: Position) -> list[tuple[int, Position]]:
    """Return the positions of a group of games that are to be labelled, with their games' numbers.

    They are in the best order for a search: each game from its end.

    Raises:
        BotError: if a bot cannot be made, or gives no legal move.

    Examples:
        >>> from kulami_solver import Layout
        >>> plan = LabelPlan(100, (10, 12), layout=Layout.square(), games=2)
        >>> listed = positions_of(plan, 1, plan.start(1))
        >>> [(game, position.free_count) for game, position in listed]
        [(2, 12), (3, 10), (3, 11), (3, 12)]
    """
    played = _played(plan, group, start) if plan.bots else _random(plan, group, start)
    least, most = plan.free
    listed = [
        (group * plan.games + game, position)
        for game, position in played
        if least <= position.free_count <= most and not position.is_over
    ]
    listed.sort(key=lambda one: (one[0], one[1].free_count))
    return listed


def _random(plan: LabelPlan, group: int, start: Position) -> Iterator[tuple[int, Position]]:
    batch = Batch(
        plan.games,
        start.layout,
        first=start.first,
        marbles=plan.marbles,
        short_end=plan.short_end,
        seed=plan.seed_of(group),
    )
    least, most = plan.free
    for free in range(len(start.layout), least - 1, -1):
        if free <= most:
            for game in (~batch.ended).nonzero()[0].tolist():
                yield game, batch.position(game)
        batch.step(batch.random_actions())


def _played(plan: LabelPlan, group: int, start: Position) -> Iterator[tuple[int, Position]]:
    """The positions of games of bots, each of which begins with some random moves.

    Two bots change sides after each game.
    """
    names = plan.bots * (3 - len(plan.bots))
    seed = plan.seed_of(group)
    players = [make_player(name, seed + place) for place, name in enumerate(names)]
    try:
        for game in range(plan.games):
            opening = draw_opening(
                seed * plan.games + game,
                start.layout,
                plan.plies,
                plan.marbles,
                plan.short_end,
                plan.scoring,
            )
            seats = players if game % 2 == 0 else players[::-1]
            played = play_game(seats, opening)
            if played.forfeit is not None:
                raise BotCrashed(
                    "labels_forfeit", player=played.players[played.forfeit], why=played.message
                )
            position = _board(opening)
            yield game, position
            for field in played.moves:
                position = position.play(field)
                yield game, position
    finally:
        for player in players:
            player.close()


def _board(opening: Opening) -> Position:
    position = opening.start.position
    assert isinstance(position, Position)
    return position
