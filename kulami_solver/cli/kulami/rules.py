"""The rules applied to a position: `kulami score`, `kulami moves` and `kulami perft`."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command, whole_number
from kulami_solver.cli.kulami.positions import add_position_options, add_scoring_option, positions
from kulami_solver.cli.output import EXIT_OK

if TYPE_CHECKING:
    from kulami_solver.kulami.position.scoring import Part


#: No game is longer: a layout has at most 64 fields.
DEPTH_LIMIT = 64


def add_commands(commands: Commands) -> None:
    """Add `score`, `moves` and `perft`."""
    parser = add_command(commands, "score", run_score, "print the score as it is now")
    add_position_options(parser)
    add_scoring_option(parser)

    parser = add_command(commands, "moves", run_moves, "print the legal fields")
    add_position_options(parser)

    parser = add_command(commands, "perft", run_perft, "count the leaves at depth 1, 2, ... N")
    add_position_options(parser)
    words = f"how many marbles deep, 1 to {DEPTH_LIMIT}"
    parser.value("--depth", "N", words, whole_number(1, DEPTH_LIMIT), required=True)


def run_score(args: argparse.Namespace) -> int:
    """Print each position's score."""
    for position in positions(args):
        score = position.score(args.scoring)
        output.answer(args, _score_json(position, score), _score_text(position, score))
    return EXIT_OK


def _score_json(position: ks.Position, score: ks.Score) -> dict[str, object]:
    def part(points: Part) -> dict[str, int]:
        return {"red": points.red, "black": points.black}

    return {
        "kfn": position.kfn(),
        "scoring": score.scoring.value,
        "turn": position.turn,
        "red": score.red,
        "black": score.black,
        "margin": position.margin(score.scoring),
        "panels": part(score.panels),
        "area": part(score.area),
        "chains": part(score.chains),
        "over": position.is_over,
    }


def _score_text(position: ks.Position, score: ks.Score) -> str:
    def row(name: str, part: Part | ks.Score, note: str = "") -> str:
        return f"{name:<8}{part.red:>5}{part.black:>7}{note}"

    uncounted = "  (not counted)"
    rows = [
        f"{'':<8}{'red':>5}{'black':>7}",
        row("panels", score.panels),
        row("area", score.area, "" if score.scoring.area else uncounted),
        row("chains", score.chains, "" if score.scoring.chains else uncounted),
        row("total", score),
    ]
    verb = "wins" if position.is_over else "leads"
    if score.margin == 0:
        rows.append("draw" if position.is_over else "level")
    else:
        rows.append(f"{'red' if score.margin > 0 else 'black'} {verb} by {abs(score.margin)}")
    rows[-1] += ", the game is over" if position.is_over else f", {position.turn} to move"
    return "\n".join(rows)


def run_moves(args: argparse.Namespace) -> int:
    """Print each position's legal fields."""
    for position in positions(args):
        fields = position.legal_fields
        told = {"kfn": position.kfn(), "turn": position.turn, "moves": list(fields)}
        output.answer(args, told, " ".join(fields) or "no legal field: the game is over")
    return EXIT_OK


def run_perft(args: argparse.Namespace) -> int:
    """Count each position's leaves."""
    for position in positions(args):
        as_json = output.in_json(args)
        counts: list[int] = []
        begun = time.perf_counter()
        try:
            for depth in range(1, args.depth + 1):
                counts.append(position.perft(depth)[-1])
                if not as_json:
                    output.line(f"{depth:>3} {counts[-1]:>24,}")
        except KeyboardInterrupt:
            if as_json:
                output.json_line({"kfn": position.kfn(), "counts": counts, "complete": False})
            return output.interrupted(f"counted to depth {len(counts)}")
        spent = time.perf_counter() - begun
        rate = sum(counts) / spent / 1e6 if spent > 0 else 0
        told = {"kfn": position.kfn(), "counts": counts, "complete": True, "seconds": spent}
        output.answer(args, told, f"{spent:.2f} s, {rate:,.1f} M leaves/s")
    return EXIT_OK
