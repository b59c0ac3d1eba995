"""`kulami estimate`: the cost of solving or proving a position, or of building its database."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any, Final

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command
from kulami_solver.cli.kulami.positions import add_position_options, add_scoring_option, positions
from kulami_solver.cli.results import answer_each
from kulami_solver.errors import KulamiError

if TYPE_CHECKING:
    from kulami_solver.kulami.database.cost import Estimate
    from kulami_solver.kulami.estimate.effort import SolveEstimate
    from kulami_solver.kulami.estimate.proofs import ProofEstimate

_HOUR: Final = 3600.0
_DAY: Final = 24 * _HOUR

# Cores of a machine in a plan: more threads of one build take more memory than most machines have.
_CORES_OF_A_MACHINE: Final = 16


def add_commands(commands: Commands) -> None:
    """Add `estimate`."""
    parser = add_command(commands, "estimate", run, "what a solve, a proof or a build would take")
    add_position_options(parser)
    add_scoring_option(parser)
    words = "how many to plan for, on any number of machines (this one's)"
    parser.number("--cores", 1, 1_000_000, words)


def run(args: argparse.Namespace) -> int:
    """Estimate each position."""
    from kulami_solver.core.budgets import workers_of

    cores = args.cores or workers_of(None)

    def answer(position: ks.Position) -> int:
        found = estimated(position, args.scoring, cores)
        over = "the game is over: there is nothing to estimate"
        return output.answer(args, found, over if position.is_over else in_words(found))

    return answer_each(args, positions(args), answer)


def estimated(position: ks.Position, scoring: ks.Scoring, cores: int) -> dict[str, Any]:
    """The estimates for a position, for JSON."""
    from kulami_solver.core.memory import default_table_size
    from kulami_solver.kulami.database.cost import estimate
    from kulami_solver.kulami.estimate.effort import estimate_solve
    from kulami_solver.kulami.estimate.proofs import estimate_proof
    from kulami_solver.kulami.prove import search_memory

    plies = position.plies_left
    threads = min(cores, _CORES_OF_A_MACHINE)
    machines = math.ceil(cores / _CORES_OF_A_MACHINE)
    solving = estimate_solve(position, scoring)
    table = default_table_size(plies)
    build: dict[str, Any]
    try:
        build = _build(estimate(position, scoring, threads), machines)
    except KulamiError as error:
        build = {"possible": False, "reason": str(error)}
    return {
        "kfn": position.kfn(),
        "scoring": scoring.value,
        "free": position.free_count,
        "plies": plies,
        "cores": cores,
        "machines": machines,
        "solve": _solve(solving, cores, table),
        "prove": _prove(
            estimate_proof(position, solving, scoring), search_memory(position, scoring)
        ),
        "build": build,
    }


def _solve(found: SolveEstimate, cores: int, table: int) -> dict[str, Any]:
    from kulami_solver.kulami.estimate.effort import MANY_WORKERS

    wall = found.seconds / cores * (MANY_WORKERS if cores > 1 and found.samples else 1)
    return {
        "nodes": round(found.nodes),
        "nodes_range": [round(found.low), round(found.high)],
        "exact": not found.samples,
        "samples": found.samples,
        "sampled_plies_later": found.later,
        "nodes_per_second": round(found.nodes_per_second),
        "core_hours": found.seconds / _HOUR,
        "core_hours_range": [seconds / _HOUR for seconds in found.seconds_range],
        "seconds": wall,
        "memory_per_worker": table,
        "cores_for_a_day": math.ceil(found.seconds * MANY_WORKERS / _DAY),
    }


def _prove(found: ProofEstimate, search: int) -> dict[str, Any]:
    return {
        "steps": round(found.steps),
        "file": round(found.file),
        "memory": round(search + found.memory),
        "core_hours": found.seconds / _HOUR,
    }


def _build(found: Estimate, machines: int) -> dict[str, Any]:
    return {
        "possible": True,
        "positions": round(found.positions),
        "largest_ply": round(found.largest),
        "memory_per_machine": round(found.memory),
        "disk": round(found.disk),
        "file": round(found.file),
        "core_hours": found.core_seconds / _HOUR,
        "seconds": found.seconds / machines,
    }


def in_words(found: dict[str, Any]) -> str:
    """The same estimates for a person to read."""
    from kulami_solver.storage.resources import duration, size_in_words

    solve, prove, build = found["solve"], found["prove"], found["build"]
    cores = f"{found['cores']} core{'s' if found['cores'] > 1 else ''}"
    if found["machines"] > 1:
        cores += f", {found['machines']} machines of {_CORES_OF_A_MACHINE},"
    lines = [f"position  {found['free']} free fields, at most {found['plies']} plies, "]
    lines[0] += f"scoring {found['scoring']}"
    if solve["exact"]:
        lines.append(f"solve     {solve['nodes']:,} nodes: it has just been solved")
    else:
        low, high = solve["nodes_range"]
        lines.append(
            f"solve     about {rounded(solve['nodes'])} nodes ({rounded(low)} to {rounded(high)}), "
            f"from {solve['samples']} positions {solve['sampled_plies_later']} plies later"
        )
        low, high = (_cores(hours) for hours in solve["core_hours_range"])
        lines += [
            f"          {_cores(solve['core_hours'])} of one core ({low} to {high}) at "
            f"{solve['nodes_per_second'] / 1e6:.1f} M nodes a second",
            f"          on {cores} {duration(solve['seconds'])}, with tables of "
            f"{size_in_words(solve['memory_per_worker'])} each",
        ]
        if solve["cores_for_a_day"] > found["cores"]:
            lines.append(f"          within a day: {solve['cores_for_a_day']:,} cores")
    lines += [
        f"prove     about {rounded(prove['steps'])} steps, "
        f"{size_in_words(prove['file'])} in the file",
        f"          {_cores(prove['core_hours'])} of one core, "
        f"{size_in_words(prove['memory'])} of memory",
    ]
    if not build["possible"]:
        lines.append(f"build     {build['reason']}")
        return "\n".join(lines)
    lines += [
        f"build     about {rounded(build['positions'])} positions, the largest ply "
        f"{rounded(build['largest_ply'])}",
        f"          {_cores(build['core_hours'])} of one core; on {cores} "
        f"{duration(build['seconds'])}",
        f"          {size_in_words(build['memory_per_machine'])} of memory a machine, "
        f"{size_in_words(build['disk'])} of disk until it is done, "
        f"{size_in_words(build['file'])} in the file",
    ]
    return "\n".join(lines)


def rounded(number: float) -> str:
    """A number rounded to two digits, with words for its size.

    >>> rounded(123456), rounded(2.34e9), rounded(9.99e15)
    ('120 thousand', '2.3 billion', '10,000 million million')
    """
    names = {1e12: "million million", 1e9: "billion", 1e6: "million", 1e3: "thousand"}
    for size, name in names.items():
        if number >= size:
            digits = float(f"{number / size:.2g}")
            return f"{digits:,.0f} {name}" if digits >= 10 else f"{digits:.1f} {name}"
    return f"{number:.0f}"


def _cores(hours: float) -> str:
    from kulami_solver.storage.resources import duration

    return duration(hours * _HOUR)
