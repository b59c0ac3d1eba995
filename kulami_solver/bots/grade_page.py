"""Graded games as one HTML page: who lost how much, the value's curve, and the moves that cost.

The curve is of the value with best play of both, as seen by the player who began. From the ply on
where the game is solved it is exact; before that there are a bot's estimates, drawn as dots and
said to be estimates. Where the outcome flips there is a mark, which leads to the board below.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from ..game import CHANCE, NOBODY, State
from .case import outcome
from .grade import Grade, GradedMove
from .page_parts import chart, drawn_case, figures, label, page, rate_words, signed_words, svg

_SHOWN: Final = 12  # boards of a game
_WIDTH: Final = 1080.0
_HEIGHT: Final = 260.0
_LEFT: Final = 64.0
_RIGHT: Final = 18.0
_ABOVE: Final = 22.0
_BELOW: Final = 30.0
_PLIES: Final = 14  # numbers below the curve, about
_LEVELS: Final = 6  # and beside it


def grade_page(games: Sequence[tuple[int, Grade]], source: str) -> str:
    """Return graded games as a page.

    Examples:
        >>> from kulami_solver.bots.grade import grade
        >>> from kulami_solver.game import load_game
        >>> found = grade(load_game("kulami", layout="AAB/AAC").start(), "a1 c1 c2 a2".split())
        >>> grade_page([(1, found)], "games.jsonl").splitlines()[0]
        '<!DOCTYPE html>'
    """
    many = f"{len(games)} games" if len(games) != 1 else f"game {games[0][0]}"
    body = "\n".join(
        [
            f"<h1>{escape(source)}</h1>",
            f'<p class="lead">{many}, judged by the exact value of every move from where the '
            "game can be solved</p>",
            *(_game(number, found) for number, found in games),
            "<footer>A value is what best play of all leads to. The value of a move is for the "
            "side that made it; the curve is for the side that began. Estimates are a bot&#39;s "
            "opinion, and prove nothing. Of the numbers on a board, "
            '<span class="good">green</span> is best, <span class="bad">red</span> was played.'
            "</footer>",
        ]
    )
    return page(f"{source}: {many}", body)


def _game(number: int, found: Grade) -> str:
    parts = [f'<h2 id="game{number}">Game {number}</h2>', f'<p class="lead">{_lead(found)}</p>']
    seats = found.begun.game.seats
    if found.moves:
        cards = [_figure(found, seat) for seat in seats]
        flips = len(found.turning_points)
        words = "the outcome flips" if flips != 1 else "the outcome flips once"
        cards.append((str(flips), "times " + words if flips != 1 else words))
        parts.append(f'<section class="figures">\n{figures(cards)}\n</section>')
    if len(seats) == 2 and found.played:
        parts.append(_curve(number, found))
    if found.moves:
        parts += [_boards(number, found), _table(found)]
    return "\n".join(parts)


def _lead(found: Grade) -> str:
    words = [f"{len(found.played)} moves"]
    standing = found.words.standing(found.ended)
    if standing:
        words.append(standing)
    if not found.finished:
        words.append("not played to its end")
    if found.moves:
        words.append(found.exact_words)
    elif found.played:
        words.append("no position could be solved in the time")
    return escape(", ".join(words))


def _figure(found: Grade, seat: str) -> tuple[str, str]:
    own = found.of(seat)
    words = f"{seat}: best moves, {own['optimal']} of {own['moves']} choices; lost {own['lost']}"
    return rate_words(own["accuracy"]), words


# The curve


class _Scale:
    """Where plies and values are in the drawing."""

    def __init__(self, plies: int, values: Sequence[float]) -> None:
        self.plies = plies
        top = max(1.0, *(abs(value) for value in values))
        self.low = min(0.0, *values, -top / 6)
        self.high = max(0.0, *values, top / 6)

    def x(self, ply: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * ply / max(1, self.plies)

    def y(self, value: float) -> float:
        room = _HEIGHT - _ABOVE - _BELOW
        return _ABOVE + room * (self.high - value) / (self.high - self.low)


def _curve(number: int, found: Grade) -> str:
    """The value of each position of a game, for the player who began."""
    exact = _exact(found)
    guessed = _estimates(found, exact)
    scale = _Scale(len(found.played), [*exact.values(), *guessed.values(), 0.0])
    unit, seats = found.words.unit, _seats(found)
    first = min(exact, default=None)
    shapes = []
    if first is not None:
        left, right = scale.x(first), scale.x(scale.plies)
        shapes.append(
            f'<rect class="solved" x="{left:.1f}" y="{_ABOVE:g}" width="{right - left:.1f}" '
            f'height="{_HEIGHT - _ABOVE - _BELOW:g}"/>'
        )
    shapes += _axes(scale, seats)
    if guessed:
        shapes.append(_line("estimate", scale, guessed | _joint(exact, guessed)))
    shapes.append(_line("value-line", scale, exact))
    shapes += [
        f'<circle class="dot" cx="{scale.x(ply):.1f}" cy="{scale.y(value):.1f}" r="3">'
        f"<title>after move {ply}: {escape(_ahead(value, seats, unit))}</title></circle>"
        for ply, value in exact.items()
    ]
    shapes += [_flip(number, move, scale, exact) for move in found.turning_points]
    keys = [f"\u2014 exact {unit}"] if exact else []
    if guessed:
        keys.append("\u00b7 \u00b7 \u00b7 estimated, not proved")
    if found.turning_points:
        keys.append('<span class="bad">\u25c6</span> the outcome flips: click for the board')
    key = f'<p class="key">{"".join(f"<span>{words}</span>" for words in keys)}</p>'
    title = f"The {unit} over the game, for {seats[0]}"
    drawn = chart(title, svg(_WIDTH, _HEIGHT, shapes) + key, wide=True)
    return f'<section class="charts curve">{drawn}</section>'


def _first(found: Grade) -> int:
    """The seat that began, for which the values are; the first one if chance did."""
    return max(found.begun.to_move, 0)


def _seats(found: Grade) -> list[str]:
    """What the players are called, the one who began first."""
    seats, first = found.begun.game.seats, _first(found)
    return [*seats[first:], *seats[:first]]


def _exact(found: Grade) -> dict[int, float]:
    """The value after so many moves for who began, where it is known."""
    known: dict[int, float] = {}
    for move in found.moves:
        sign = 1 if move.case.state.to_move == _first(found) else -1
        known[move.ply - 1] = float(sign * move.case.best)
        known[move.ply] = float(sign * move.value)
    if found.finished:
        known[len(found.played)] = float(found.ended.returns()[_first(found)])
    return dict(sorted(known.items()))


def _estimates(found: Grade, exact: dict[int, float]) -> dict[int, float]:
    """What a bot thinks of the positions before the first one with a known value."""
    guessed: dict[int, float] = {}
    state: State = found.begun
    for ply in range(min(exact, default=len(found.played) + 1)):
        if ply:
            state = state.play(found.played[ply - 1])
        if state.to_move in (CHANCE, NOBODY):
            continue
        opinion = found.words.estimate(state)
        if opinion is not None:
            guessed[ply] = opinion if state.to_move == _first(found) else -opinion
    return guessed


def _joint(exact: dict[int, float], guessed: dict[int, float]) -> dict[int, float]:
    """Where what is estimated goes over into what is known."""
    first = min(exact, default=None)
    return {} if first is None or not guessed else {first: exact[first]}


def _axes(scale: _Scale, seats: Sequence[str]) -> list[str]:
    shapes = []
    step = max(1, round((scale.high - scale.low) / _LEVELS))
    for level in range(-(int(-scale.low) // step) * step, int(scale.high) + 1, step):
        y = scale.y(level)
        kind = "axis" if level else "zero"
        shapes.append(f'<path class="{kind}" d="M{_LEFT:g} {y:.1f}H{_WIDTH - _RIGHT:g}"/>')
        shapes.append(label(_LEFT - 8, y + 4, signed_words(level), "end"))
    every = max(1, round(scale.plies / _PLIES))
    for ply in range(0, scale.plies + 1, every):
        shapes.append(label(scale.x(ply), _HEIGHT - 8, str(ply)))
    shapes.append(label(_LEFT + 6, _ABOVE - 7, f"{seats[0]} ahead", "start", "value"))
    shapes.append(label(_LEFT + 6, _HEIGHT - _BELOW - 6, f"{seats[1]} ahead", "start", "value"))
    return shapes


def _line(kind: str, scale: _Scale, values: dict[int, float]) -> str:
    points = " ".join(f"{scale.x(ply):.1f},{scale.y(value):.1f}" for ply, value in values.items())
    return f'<polyline class="{kind}" points="{points}"/>'


def _flip(number: int, move: GradedMove, scale: _Scale, exact: dict[int, float]) -> str:
    x, y = scale.x(move.ply), scale.y(exact[move.ply])
    words = f"{move.ply}. {move.colour} {move.played}: {_flip_words(move)}"
    # Beside the mark, where the curve does not come from, unless that is outside.
    side, anchor = (x + 12, "start") if x < _WIDTH - 3 * _RIGHT else (x - 14, "end")
    return (
        f'<a href="#game{number}move{move.ply}"><path class="flip" '
        f'd="M{x:.1f} {y - 9:.1f}l9 9l-9 9l-9 -9z"><title>{escape(words)}</title></path>'
        f"{label(side, y - 8, str(move.ply), anchor)}</a>"
    )


def _ahead(value: float, seats: Sequence[str], unit: str) -> str:
    if not value:
        return f"{unit} 0"
    return f"{unit} {abs(value):g} for {seats[0] if value > 0 else seats[1]}"


# The moves


def _flip_words(move: GradedMove) -> str:
    return f"a {outcome(move.case.best)} becomes a {outcome(move.value)}"


def _boards(number: int, found: Grade) -> str:
    """The moves that changed who wins, and those that cost most, in the order of the game."""
    costly = [move for move in found.moves if move.cost]
    heading = "Moves that cost something"
    if not costly:
        return f"<h2>{heading}: none</h2>"
    first = sorted(costly, key=lambda move: (not move.turning_point, -move.cost, move.ply))
    # All that the curve leads to are there.
    shown = first[: max(_SHOWN, len(found.turning_points))]
    if len(shown) < len(costly):
        heading += f": {len(shown)} of {len(costly)}"
    boards = "\n".join(_board(number, move) for move in sorted(shown, key=lambda move: move.ply))
    return f'<h2>{heading}</h2>\n<section class="blunders">\n{boards}\n</section>'


def _board(number: int, move: GradedMove) -> str:
    case = move.case
    about = [
        f'costs <span class="bad">{move.cost}</span>: {signed_words(move.value)} instead of '
        f"{signed_words(case.best)}"
    ]
    if move.turning_point:
        about.append(f'<span class="bad">{_flip_words(move)}</span>')
        if move.refutation is not None:
            about.append(escape(move.refutation.words))
    else:
        about.append(f"still a {outcome(move.value)}")
    what = f"{move.ply}. {move.colour} {move.played} instead of {' or '.join(case.best_moves)}"
    return (
        f'<article class="blunder" id="game{number}move{move.ply}"><h3>{escape(what)}</h3>'
        f"<p>{'; '.join(about)}</p>{drawn_case(case, move.played)}"
        f"<code>{escape(case.state.notation())}</code></article>"
    )


def _table(found: Grade) -> str:
    words = found.words
    rows = []
    for move in found.moves:
        best = " ".join(move.case.best_moves) if move.cost else ""
        kind = ' class="bad"' if move.turning_point else ""
        rows.append(
            f'<tr><td class="number">{move.ply}</td><td>{escape(move.colour)}</td>'
            f"<td{kind}>{escape(move.played)}</td>"
            f'<td class="number">{signed_words(move.value)}</td>'
            f'<td class="number">{move.cost or ""}</td><td>{escape(best)}</td></tr>'
        )
    return (
        f'<details class="moves"><summary>Every judged move</summary><table>'
        f'<tr><th class="number">ply</th><th>by</th><th>{words.move_word}</th>'
        f'<th class="number">{words.unit}</th><th class="number">cost</th><th>better</th></tr>'
        f"{''.join(rows)}</table></details>"
    )
