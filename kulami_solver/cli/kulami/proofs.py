"""`kulami prove`, and the parts of `verify`, `export` and `solve` about proofs."""

from __future__ import annotations

import argparse
import itertools
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command
from kulami_solver.cli.databases import building
from kulami_solver.cli.kulami.positions import (
    add_goal_option,
    add_position_options,
    add_scoring_option,
    positions,
)
from kulami_solver.cli.output import EXIT_FAILED, EXIT_OK, CommandError
from kulami_solver.core.notation import so_many
from kulami_solver.core.progress import ProgressLine
from kulami_solver.errors import KulamiError, reason

if TYPE_CHECKING:
    from kulami_solver.kulami.prove import ProofProgress

# A proof that takes longer, in seconds, is announced with its estimated cost.
_LONG: Final = 10.0

# Lines of a proof's text that are printed at once.
_AT_A_TIME: Final = 1000


def add_commands(commands: Commands) -> None:
    """Add `prove`."""
    words = "write a proof of a position's value that anyone can check"
    parser = add_command(commands, "prove", run, words)
    parser.output("file", "the proof to write; names usually end in .kpf", ".kpf")
    add_position_options(parser, one=True)
    add_scoring_option(parser)
    add_goal_option(parser)
    parser.switch("--semi-strong", "prove all positions in which a side has played its best")
    parser.number("--depth-left", 0, 64, "how many plies the checker plays out (6)")
    parser.number("--threads", 1, 256, "how many threads solve the position (1)")
    parser.memory("size of the search's table: 64M, 1G; notes take half as much")


def run(args: argparse.Namespace) -> int:
    """Write a proof."""
    from kulami_solver.kulami.prove import prove
    from kulami_solver.storage.container import is_proof

    if Path(args.file).is_fifo():  # Opening it would wait for a reader.
        raise CommandError(f"{args.file}: a pipe is in the way; name another file")
    if os.path.isfile(args.file) and os.path.getsize(args.file) and not is_proof(args.file):
        raise CommandError(f"{args.file}: a file that is no proof is in the way; name another")
    if args.input is not None:
        raise CommandError("--input: a proof is about one position; give it with --kfn or --layout")
    (position,) = positions(args)
    try:
        names = ("depth_left", "semi_strong", "threads", "memory")
        with building("", args.file) as line:
            _announce(args, position)
            proved = prove(
                args.file,
                position,
                args.scoring,
                args.goal,
                **{name: getattr(args, name) for name in names},
                progress=lambda state: line.show(state.done, None, _step(state)),
            )
    except OSError as fault:
        raise CommandError(
            f"FILE: cannot write {args.file}: {reason(fault)}; name another file"
        ) from None
    steps = sum(proved.steps)
    told = {
        "file": proved.path,
        "kfn": position.kfn(),
        "scoring": args.scoring.value,
        "goal": args.goal,
        "semi_strong": args.semi_strong,
        "value": proved.value,
        "steps": steps,
        **dict(zip(("ge", "le", "play"), proved.steps, strict=True)),
        "bytes": proved.bytes,
        "nodes": proved.nodes,
        "solve_seconds": round(proved.solving, 6),
        "seconds": round(proved.seconds, 6),
    }
    return output.answer(
        args,
        told,
        f"{proved.path}: {_value_words(proved.value, position.turn)}; {_in_words(steps)} in "
        f"{proved.bytes:,} bytes, {proved.seconds:.1f} s",
    )


def _step(state: ProofProgress) -> str:
    """The current step of a proof, and the unit of its progress."""
    return "solving, nodes" if state.ply is None else f"ply {state.ply}, steps"


def _announce(args: argparse.Namespace, position: ks.Position) -> None:
    """Tell the estimated cost of a long proof before it begins."""
    from kulami_solver.cli.kulami.estimating import rounded
    from kulami_solver.core.memory import available_memory
    from kulami_solver.kulami.estimate.effort import estimate_solve
    from kulami_solver.kulami.estimate.proofs import estimate_proof
    from kulami_solver.kulami.prove import search_memory
    from kulami_solver.storage.resources import duration, size_in_words

    solving = estimate_solve(position, args.scoring)
    found = estimate_proof(
        position, solving, args.scoring, depth_left=args.depth_left, threads=args.threads or 1
    )
    if found.seconds < _LONG:
        return
    memory = found.memory + search_memory(position, args.scoring, args.memory)
    available = available_memory()
    words = f"about {rounded(found.steps)} steps, {duration(found.seconds)}"
    if args.threads and args.threads > 1:
        words += f", the solve on {args.threads} threads"
    words += f", {size_in_words(memory)} of memory"
    if args.semi_strong:
        words += "; with --semi-strong from 30 to 400 times as much"
    elif memory > available:
        words += (
            f", where {size_in_words(available)} are available; give less --memory or a greater "
            "--depth-left"
        )
    output.message("note", words)


def _in_words(steps: int) -> str:
    return f"{steps:,} step{'s' * (steps != 1)}"


def _value_words(value: int | str, turn: str) -> str:
    if isinstance(value, int):
        from kulami_solver.kulami.position.scoring import margin_words

        return margin_words(value, turn)
    if value == "draw":
        return "draw"
    winner = turn if value == "win" else {"red": "black", "black": "red"}[turn]
    return f"{winner} wins"


def run_verify(args: argparse.Namespace) -> int:
    """Check a proof."""
    from kulami_solver.kulami.proof.proof import open_proof

    if args.workers is not None:
        raise CommandError("--workers: a proof is checked on this machine; leave it out")
    value: int | str | None = None
    steps, seconds = 0, 0.0
    with ProgressLine(" steps") as line:
        try:
            with open_proof(args.database) as proof:
                checked = proof.verify(lambda done, total: line.show(done, total, "checking"))
                turn = proof.root.turn
            steps, value, seconds = checked.steps, checked.value, checked.seconds
            problems: tuple[object, ...] = checked.problems
        except KulamiError as error:
            problems = (error,)
    if args.json:
        output.json_line(
            {
                "ok": not problems,
                "steps": steps,
                "value": value,
                "seconds": round(seconds, 6),
                "problems": [str(problem) for problem in problems],
            }
        )
    elif value is not None:
        output.line(
            f"{args.database}: ok; {_value_words(value, turn)}, {_in_words(steps)} checked in "
            f"{seconds:.1f} s"
        )
    for problem in problems:
        why = str(problem).removeprefix(f"{args.database}: ")
        output.message("error", f"{args.database}: {why}")
    return EXIT_FAILED if problems else EXIT_OK


def run_export(args: argparse.Namespace) -> int:
    """Write a proof as text."""
    from kulami_solver.kulami.proof.proof import open_proof

    with open_proof(args.database) as proof:
        lines = proof.text()
        while some := list(itertools.islice(lines, _AT_A_TIME)):
            output.line("\n".join(some))
    return EXIT_OK


def run_export_plies(args: argparse.Namespace) -> int:
    """Write a proof's plies into a folder."""
    from kulami_solver.kulami.proof.proof import open_proof

    with building(" steps", args.plies, "") as line, open_proof(args.database) as proof:
        rows = proof.write_plies(args.plies, lambda done, total: line.show(done, total, "writing"))
    return output.answer(
        args, {"file": args.plies, "rows": rows}, f"{args.plies}: {so_many(rows, 'claim')}"
    )
