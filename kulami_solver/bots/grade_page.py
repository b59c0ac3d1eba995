"""Graded games as one HTML page: who lost how much, the value's curve, and the moves that cost.

The curve shows the value with best play of both, for the player who began. It is exact from the ply
at which the game is solved; before that ply there are a bot's estimates, drawn as dots and labelled
as estimates. A mark shows where the outcome flips, and links to the board below.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from ..errors import Phrase, said
from ..game import CHANCE, NOBODY, State
from .case import outcome
from .grade import Grade, GradedMove
from .graded import column_word, solved_words
from .page_parts import chart, drawn_case, figures, label, page, rate_words, signed_words, svg

_SHOWN: Final = 12  # boards of a game
_WIDTH: Final = 1080.0
_HEIGHT: Final = 260.0
_LEFT: Final = 64.0
_RIGHT: Final = 18.0
_ABOVE: Final = 22.0
_BELOW: Final = 30.0
_PLIES: Final = 14  # numbers below the curve, about
_LEVELS: Final = 6  # numbers beside the curve, about


class _Voice:
    """The words of the page, in its language."""

    def __init__(self, language: str) -> None:
        self.language: Final = language

    def __call__(self, words: object) -> str:
        """Return a phrase, or words without a code, for HTML."""
        return escape(self.plain(words))

    def plain(self, words: object) -> str:
        """Return a phrase, or words without a code, as plain text."""
        return said(words, self.language)

    def marked(self, words: Phrase, **shown: tuple[str, object]) -> str:
        """Return a phrase in which each `{name}` becomes its value, marked as `good` or `bad`."""
        found = self(words)
        for name, (kind, value) in shown.items():
            mark = f'<span class="{kind}">{escape(str(value))}</span>'
            found = found.replace(f"{{{name}}}", mark)
        return found


def grade_page(games: Sequence[tuple[int, Grade]], source: str, language: str = "en") -> str:
    """Return graded games as a page.

    Args:
        games: each with its number.
        source: where they were read.
        language: of the page, for words with a code: all words about our games.

    Examples:
        >>> from kulami_solver.bots.grade import grade
        >>> from kulami_solver.game import load_game
        >>> found = grade(load_game("kulami", layout="AAB/AAC").start(), "a1 c1 c2 a2".split())
        >>> grade_page([(1, found)], "games.jsonl").splitlines()[0]
        '<!DOCTYPE html>'
    """
    say = _Voice(language)
    count = len(games)
    many = Phrase("text_game", number=games[0][0])
    if count != 1:
        many = Phrase("several_games", count=count)
    footer = say.marked(
        Phrase("page_footer", good="{good}", bad="{bad}"),
        good=("good", say.plain(Phrase("green"))),
        bad=("bad", say.plain(Phrase("red"))),
    )
    body = "\n".join(
        [
            f"<h1>{escape(source)}</h1>",
            f'<p class="lead">{say(Phrase("page_judged", many=many))}</p>',
            *(_game(say, number, found) for number, found in games),
            f"<footer>{footer}</footer>",
        ]
    )
    return page(say.plain(Phrase("colon")).join((source, said(many, language))), body, language)


def _game(say: _Voice, number: int, found: Grade) -> str:
    parts = [
        f'<h2 id="game{number}">{say(Phrase("page_game", number=number))}</h2>',
        f'<p class="lead">{_lead(say, found)}</p>',
    ]
    seats = found.begun.game.seats
    if found.moves:
        cards = [_figure(say, found, seat) for seat in seats]
        flips = len(found.turning_points)
        cards.append((str(flips), say.plain(Phrase("page_flips", count=flips))))
        parts.append(f'<section class="figures">\n{figures(cards)}\n</section>')
    if len(seats) == 2 and found.played:
        parts.append(_curve(say, number, found))
    if found.moves:
        parts += [_boards(say, number, found), _table(say, found)]
    return "\n".join(parts)


def _lead(say: _Voice, found: Grade) -> str:
    words = [say(Phrase("graded_moves", count=len(found.played)))]
    standing = found.words.standing(found.ended)
    if standing:
        words.append(say(standing))
    if not found.finished:
        words.append(say(Phrase("not_to_end")))
    if found.moves:
        words.append(escape(solved_words(found, say.language)))
    elif found.played:
        words.append(say(Phrase("page_none_solved")))
    return ", ".join(words)


def _figure(say: _Voice, found: Grade, seat: str) -> tuple[str, str]:
    own = found.of(seat)
    counts = {name: own[name] for name in ("optimal", "moves", "lost")}
    return rate_words(own["accuracy"]), say.plain(
        Phrase("page_best_moves", side=found.called(seat, say.language, with_seat=True), **counts)
    )


# The curve


class _Scale:
    """The coordinates of plies and values in the drawing."""

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


def _curve(say: _Voice, number: int, found: Grade) -> str:
    """The value of each position of a game, for the player who began."""
    exact = _exact(found)
    guessed = _estimates(found, exact)
    scale = _Scale(len(found.played), [*exact.values(), *guessed.values(), 0.0])
    unit = column_word(found.words.unit, say.language)
    seats = [found.called(seat, say.language) for seat in _seats(found)]
    first = min(exact, default=None)
    shapes = []
    if first is not None:
        left, right = scale.x(first), scale.x(scale.plies)
        shapes.append(
            f'<rect class="solved" x="{left:.1f}" y="{_ABOVE:g}" width="{right - left:.1f}" '
            f'height="{_HEIGHT - _ABOVE - _BELOW:g}"/>'
        )
    shapes += _axes(say, scale, seats)
    if guessed:
        shapes.append(_line("estimate", scale, guessed | _joint(exact, guessed)))
    shapes.append(_line("value-line", scale, exact))
    shapes += [
        f'<circle class="dot" cx="{scale.x(ply):.1f}" cy="{scale.y(value):.1f}" r="3">'
        f"<title>{_after(say, ply, _ahead(value, seats, unit))}</title></circle>"
        for ply, value in exact.items()
    ]
    for move in found.turning_points:
        who = found.called(move.colour, say.language)
        shapes.append(_flip(say, number, move, who, scale, exact))
    keys = ["\u2014 " + say(Phrase("page_exact", unit=unit))] if exact else []
    if guessed:
        keys.append("\u00b7 \u00b7 \u00b7 " + say(Phrase("page_estimated")))
    if found.turning_points:
        keys.append(f'<span class="bad">\u25c6</span> {say(Phrase("page_click"))}')
    key = f'<p class="key">{"".join(f"<span>{words}</span>" for words in keys)}</p>'
    title = say.plain(Phrase("page_curve", unit=unit, side=seats[0]))
    drawn = chart(title, svg(_WIDTH, _HEIGHT, shapes) + key, wide=True)
    return f'<section class="charts curve">{drawn}</section>'


def _first(found: Grade) -> int:
    """The seat that began, for which the values count; the first seat if chance began."""
    return max(found.begun.to_move, 0)


def _seats(found: Grade) -> list[str]:
    """The players' names, beginning with the player who began."""
    seats, first = found.begun.game.seats, _first(found)
    return [*seats[first:], *seats[:first]]


def _exact(found: Grade) -> dict[int, float]:
    """The known values for the player who began, by the number of moves made."""
    known: dict[int, float] = {}
    for move in found.moves:
        sign = 1 if move.case.state.to_move == _first(found) else -1
        known[move.ply - 1] = float(sign * move.case.best)
        known[move.ply] = float(sign * move.value)
    if found.finished:
        known[len(found.played)] = float(found.ended.returns()[_first(found)])
    return dict(sorted(known.items()))


def _estimates(found: Grade, exact: dict[int, float]) -> dict[int, float]:
    """A bot's estimates of the positions before the first one with a known value."""
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
    """The piece of the curve that joins the estimates to the known values."""
    first = min(exact, default=None)
    return {} if first is None or not guessed else {first: exact[first]}


def _axes(say: _Voice, scale: _Scale, seats: Sequence[str]) -> list[str]:
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
    for seat, y in zip(seats, (_ABOVE - 7, _HEIGHT - _BELOW - 6), strict=True):
        shapes.append(
            label(_LEFT + 6, y, say.plain(Phrase("page_ahead", side=seat)), "start", "value")
        )
    return shapes


def _line(kind: str, scale: _Scale, values: dict[int, float]) -> str:
    points = " ".join(f"{scale.x(ply):.1f},{scale.y(value):.1f}" for ply, value in values.items())
    return f'<polyline class="{kind}" points="{points}"/>'


def _flip(
    say: _Voice, number: int, move: GradedMove, who: str, scale: _Scale, exact: dict[int, float]
) -> str:
    x, y = scale.x(move.ply), scale.y(exact[move.ply])
    what = f"{move.ply}. {who} {move.played}"
    words = say.plain(Phrase("colon")).join((what, _flip_words(say, move)))
    # The label stands right of the mark, away from the curve, unless it would leave the drawing.
    side, anchor = (x + 12, "start") if x < _WIDTH - 3 * _RIGHT else (x - 14, "end")
    return (
        f'<a href="#game{number}move{move.ply}"><path class="flip" '
        f'd="M{x:.1f} {y - 9:.1f}l9 9l-9 9l-9 -9z"><title>{escape(words)}</title></path>'
        f"{label(side, y - 8, str(move.ply), anchor)}</a>"
    )


def _after(say: _Voice, ply: int, value: str | Phrase) -> str:
    return say(Phrase("page_after", ply=ply, value=value))


def _ahead(value: float, seats: Sequence[str], unit: str) -> str | Phrase:
    if not value:
        return f"{unit} 0"
    side = seats[0] if value > 0 else seats[1]
    return Phrase("page_ahead_by", unit=unit, count=f"{abs(value):g}", side=side)


# The moves


def _flip_words(say: _Voice, move: GradedMove) -> str:
    return say.plain(Phrase("becomes", before=outcome(move.case.best), after=outcome(move.value)))


def _boards(say: _Voice, number: int, found: Grade) -> str:
    """The moves that changed who wins, and those that cost most, in the order of the game."""
    costly = [move for move in found.moves if move.cost]
    if not costly:
        return "<h2>" + say(Phrase("page_costly_none")) + "</h2>"
    first = sorted(costly, key=lambda move: (not move.turning_point, -move.cost, move.ply))
    # Every board that the curve links to is shown.
    shown = first[: max(_SHOWN, len(found.turning_points))]
    heading = say(Phrase("page_costly"))
    if len(shown) < len(costly):
        heading = say(Phrase("page_costly_some", shown=len(shown), count=len(costly)))
    boards = "\n".join(
        _board(say, number, move, found) for move in sorted(shown, key=lambda move: move.ply)
    )
    return f'<h2>{heading}</h2>\n<section class="blunders">\n{boards}\n</section>'


def _board(say: _Voice, number: int, move: GradedMove, found: Grade) -> str:
    case = move.case
    value, best = signed_words(move.value), signed_words(case.best)
    costs = Phrase("page_costs", cost="{cost}", value=value, best=best)
    about = [say.marked(costs, cost=("bad", move.cost))]
    if move.turning_point:
        about.append(f'<span class="bad">{escape(_flip_words(say, move))}</span>')
        if move.refutation is not None:
            about.append(say(move.refutation.words))
    else:
        about.append(say(Phrase("page_still", outcome=outcome(move.value))))
    made = {"ply": move.ply, "side": found.called(move.colour, say.language), "move": move.played}
    what = say(Phrase("page_instead", best=case.best_moves, **made))
    return (
        f'<article class="blunder" id="game{number}move{move.ply}"><h3>{what}</h3>'
        f"<p>{'; '.join(about)}</p>{drawn_case(case, move.played, say.language)}"
        f"<code>{escape(case.state.notation())}</code></article>"
    )


def _table(say: _Voice, found: Grade) -> str:
    move_word, unit = (
        escape(column_word(one, say.language)) for one in (found.words.move_word, found.words.unit)
    )
    better = say(Phrase("page_better"))
    rows = []
    for move in found.moves:
        best = " ".join(move.case.best_moves) if move.cost else ""
        kind = ' class="bad"' if move.turning_point else ""
        who = found.called(move.colour, say.language)
        rows.append(
            f'<tr><td class="number">{move.ply}</td><td>{escape(who)}</td>'
            f"<td{kind}>{escape(move.played)}</td>"
            f'<td class="number">{signed_words(move.value)}</td>'
            f'<td class="number">{move.cost or ""}</td><td>{escape(best)}</td></tr>'
        )
    return (
        f'<details class="moves"><summary>{say(Phrase("page_every_move"))}</summary><table>'
        f'<tr><th class="number">{say(Phrase("column_ply"))}</th><th>{say(Phrase("page_by"))}</th>'
        f'<th>{move_word}</th><th class="number">{unit}</th>'
        f'<th class="number">{say(Phrase("column_cost"))}</th>'
        f"<th>{better}</th></tr>"
        f"{''.join(rows)}</table></details>"
    )
