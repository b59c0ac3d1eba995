"""`kulami build`, `probe`, `info`, `verify`, `export`, `prove`: databases, proofs."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import kulami_solver as ks
from kulami_solver.cli import output
from kulami_solver.cli.arguments import Commands, add_command, file_name, workers_asked_for
from kulami_solver.cli.databases import (
    add_database_command,
    build_options,
    building,
    report_check,
    tell_made,
)
from kulami_solver.cli.kulami.positions import (
    add_goal_option,
    add_position_options,
    add_scoring_option,
    board_text,
    positions,
)
from kulami_solver.cli.kulami.solving import in_words
from kulami_solver.cli.output import EXIT_FAILED, EXIT_OK, CommandError
from kulami_solver.cli.results import answer_each
from kulami_solver.cli.solving import looked_up
from kulami_solver.core.notation import so_many
from kulami_solver.core.progress import ProgressLine
from kulami_solver.errors import KulamiError, reason

if TYPE_CHECKING:
    from kulami_solver.kulami.database.collection import Collection
    from kulami_solver.kulami.prove import ProofProgress
    from kulami_solver.storage.database import Verified

# A proof that takes longer, in seconds, is announced with its estimated cost.
_LONG: Final = 10.0

# Lines of a proof's text that are printed at once.
_AT_A_TIME: Final = 1000


def add_commands(commands: Commands) -> None:
    """Add the commands."""
    words = "solve all that can be reached from a position"
    parser = add_database_command(commands, "build", run_build, words)
    add_position_options(parser, one=True)
    add_scoring_option(parser)
    parser.build()
    parser.workers("build; they need the folder of DB under the same name")
    parser = add_command(commands, "probe", run_probe, "look a position up in a database")
    parser.add_argument("database", nargs="?", type=file_name, metavar="DB", help="the file")
    words = "a folder of databases, in place of DB: ask those of the position's board"
    parser.value("--database", "FOLDER", words, file_name, dest="folder")
    add_scoring_option(parser, "of the databases of FOLDER that are asked (0)")
    add_position_options(parser)
    parser.switch("--all", "the value of every legal field")
    parser = add_database_command(commands, "info", run_info, "what a database holds, ply by ply")
    words = "compute every value of a database again, or check a proof"
    parser = add_database_command(commands, "verify", run_verify, words)
    parser.number("--threads", 1, 256, "threads to use")
    parser.workers("compute; they need the folder of DB under the same name")
    parser = add_database_command(
        commands, "export", run_export, "write a database as a table, or a proof for other checkers"
    )
    parser.output("table", "ends in .csv, or .parquet (needs pyarrow)", nargs="?")
    parser.switch("--text", "write a proof to standard output, a step a line")
    parser.file("--plies", "write a proof into a folder, a file for each ply", "FOLDER")
    words = "write a proof of a position's value that anyone can check"
    parser = add_command(commands, "prove", run_prove, words)
    parser.output("file", "the proof to write; names usually end in .kpf", ".kpf")
    add_position_options(parser, one=True)
    add_scoring_option(parser)
    add_goal_option(parser)
    parser.switch("--semi-strong", "prove all positions in which a side has played its best")
    parser.number("--depth-left", 0, 64, "how many plies the checker plays out (6)")
    parser.number("--threads", 1, 256, "how many threads solve the position (1)")
    parser.memory("size of the search's table: 64M, 1G; notes take half as much")


def run_build(args: argparse.Namespace) -> int:
    """Build a database."""
    from kulami_solver.kulami.position.scoring import margin_words
    from kulami_solver.storage.kept_work import target_of

    if args.input is not None:
        raise CommandError("--input: a database has one root; give it with --kfn or --layout")
    (root,) = positions(args)
    with building(" positions", target_of(args.database)) as line, workers_asked_for(args) as pool:
        built = ks.build(
            args.database,
            root,
            args.scoring,
            progress=lambda now: line.show(now.done, now.total, f"ply {now.ply}: {now.step}"),
            executor=pool,
            **build_options(args),
        )
    told = {
        "database": built.path,
        "positions": built.positions,
        "seconds": round(built.seconds, 3),
        "bytes": built.bytes,
        "value": built.value,
    }
    return tell_made(args, built, built.positions, told, margin_words(built.value, root.turn))


def opened(args: argparse.Namespace) -> ks.Database | Collection:
    """The source of answers: a database, or the databases of a folder."""
    if (args.database is None) == (args.folder is None):
        raise CommandError("give one of DB, the file, and --database FOLDER")
    if args.folder is not None and os.path.isfile(args.folder):
        raise CommandError(f"--database: {args.folder} is a file; give it as DB instead")
    if args.database is not None:
        if args.scoring is not None:
            raise CommandError("--scoring: a file has a scoring of its own; leave it out")
        return ks.Database(args.database)
    from kulami_solver.kulami.database.collection import Collection

    return Collection(args.folder, args.scoring or "0")


def run_probe(args: argparse.Namespace) -> int:
    """Look up positions."""
    from kulami_solver.kulami.database.collection import Collection

    def answer(position: ks.Position) -> int:
        def find() -> tuple[dict[str, Any], str]:
            solution = source.probe(position, every_move=args.all)
            words = "" if output.in_json(args) else in_words(solution, args.all)
            return solution.to_json(), words

        nothing = ks.Solution(position, -1, 1, scoring=source.scoring).to_json()
        nothing |= dict.fromkeys(("lower", "upper", "source"))
        return looked_up(args, find, nothing)

    with opened(args) as source:
        code = answer_each(args, positions(args), answer)
        if isinstance(source, Collection):
            output.warn(f"left aside: {error}" for error in source.refused.values())
    return code


def run_info(args: argparse.Namespace) -> int:
    """Describe a database."""
    with ks.Database(args.database) as database:
        from dataclasses import asdict

        from kulami_solver.kulami.export import entropy

        for _ in database.check_sections():
            pass  # raises if one is damaged
        about = {
            "database": database.path,
            "layout": str(database.layout),
            "root": database.root.kfn(),
            **database.root.edition,
            "scoring": database.scoring.value,
            "value": database.value,
            "positions": database.positions,
            "bytes": database.bytes,
            "bytes_per_position": round(database.bytes / database.positions, 3),
            "entropy_of_values": round(entropy(database), 3),
            "ok": True,
        }
        if args.json:
            about["plies"] = [asdict(ply) for ply in database.plies]
            output.json_line(about)
            return EXIT_OK
        output.line(board_text(database.root))
        output.line()
        for name in ("root", "scoring", "value", "positions", "bytes"):
            shown = about[name]
            count = name in ("positions", "bytes")
            output.line(f"{name:<11}{shown:{',' if count else ''}}")
        output.line(
            f"{'':<11}{about['bytes_per_position']} bytes a position; its value alone has "
            f"{about['entropy_of_values']} bits of entropy"
        )
        output.line(f"\n{'ply':>4}{'positions':>14}{'moves':>14}{'ends':>12}{'bytes':>14}   values")
        for ply in database.plies:
            highest = ply.lowest + len(ply.values) - 1
            output.line(
                f"{ply.ply:>4}{ply.positions:>14,}{ply.moves:>14,}{ply.ended:>12,}{ply.bytes:>14,}"
                f"   {ply.lowest:+d} to {highest:+d}"
            )
    return EXIT_OK


def run_verify(args: argparse.Namespace) -> int:
    """Check a database thoroughly, or a proof."""
    from kulami_solver.storage.container import OtherGameError, is_proof

    if is_proof(args.database) or args.database.endswith(".kpf"):
        return _verify_proof(args)
    with contextlib.ExitStack() as stack:
        database: ks.Database | str = args.database
        try:
            database = stack.enter_context(ks.Database(args.database))
        except OtherGameError:
            raise
        except ks.DatabaseError:
            pass  # the check reports it

        def check(show: Callable[[int, int], None]) -> Verified:
            with workers_asked_for(args) as executor:
                return ks.verify(database, threads=args.threads, progress=show, executor=executor)

        return report_check(args, check)


def run_export(args: argparse.Namespace) -> int:
    """Write a database as a table, or a proof for other checkers."""
    from kulami_solver.storage.container import is_proof

    if is_proof(args.database) and not args.text and args.plies is None:
        raise CommandError("a proof is written as text or as plies: give --text or --plies FOLDER")
    if args.plies is not None:
        if args.table is not None or args.text:
            raise CommandError("--plies writes a proof into its folder: leave TABLE, --text out")
        return _export_plies(args)
    if args.text:
        if args.table is not None or args.json:
            raise CommandError("--text writes to standard output: leave TABLE, --json out")
        return _export_text(args)
    if args.table is None:
        raise CommandError("give TABLE, a name that ends in .csv or .parquet")
    from kulami_solver.kulami.export import export

    with ProgressLine(" positions") as line, ks.Database(args.database) as database:
        rows = export(database, args.table, progress=line.show)
    return output.answer(
        args, {"file": args.table, "rows": rows}, f"{args.table}: {so_many(rows, 'row')}"
    )


def run_prove(args: argparse.Namespace) -> int:
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
        f"{proved.path}: {_value_words(proved.value, position.turn)}; {so_many(steps, 'step')} in "
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


def _value_words(value: int | str, turn: str) -> str:
    if isinstance(value, int):
        from kulami_solver.kulami.position.scoring import margin_words

        return margin_words(value, turn)
    if value == "draw":
        return "draw"
    winner = turn if value == "win" else {"red": "black", "black": "red"}[turn]
    return f"{winner} wins"


def _verify_proof(args: argparse.Namespace) -> int:
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
            f"{args.database}: ok; {_value_words(value, turn)}, {so_many(steps, 'step')} checked "
            f"in {seconds:.1f} s"
        )
    for problem in problems:
        why = str(problem).removeprefix(f"{args.database}: ")
        output.message("error", f"{args.database}: {why}")
    return EXIT_FAILED if problems else EXIT_OK


def _export_text(args: argparse.Namespace) -> int:
    """Write a proof as text."""
    from kulami_solver.kulami.proof.proof import open_proof

    with open_proof(args.database) as proof:
        lines = proof.text()
        while some := list(itertools.islice(lines, _AT_A_TIME)):
            output.line("\n".join(some))
    return EXIT_OK


def _export_plies(args: argparse.Namespace) -> int:
    """Write a proof's plies into a folder."""
    from kulami_solver.kulami.proof.proof import open_proof

    with building(" steps", args.plies, "") as line, open_proof(args.database) as proof:
        rows = proof.write_plies(args.plies, lambda done, total: line.show(done, total, "writing"))
    return output.answer(
        args, {"file": args.plies, "rows": rows}, f"{args.plies}: {so_many(rows, 'claim')}"
    )
