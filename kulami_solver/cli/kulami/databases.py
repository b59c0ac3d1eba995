"""`kulami build`, `probe`, `info`, `verify`, `export`: solved databases."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

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
from kulami_solver.cli.kulami import proofs
from kulami_solver.cli.kulami.positions import (
    add_position_options,
    add_scoring_option,
    board_text,
    positions,
)
from kulami_solver.cli.kulami.solving import in_words
from kulami_solver.cli.output import EXIT_OK, CommandError
from kulami_solver.cli.reading import answer_each
from kulami_solver.cli.solving import looked_up
from kulami_solver.core.notation import so_many
from kulami_solver.core.progress import ProgressLine

if TYPE_CHECKING:
    from kulami_solver.kulami.database.collection import Collection
    from kulami_solver.storage.database import Verified


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
        return proofs.run_verify(args)
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
        return proofs.run_export_plies(args)
    if args.text:
        if args.table is not None or args.json:
            raise CommandError("--text writes to standard output: leave TABLE, --json out")
        return proofs.run_export(args)
    if args.table is None:
        raise CommandError("give TABLE, a name that ends in .csv or .parquet")
    from kulami_solver.kulami.export import export

    with ProgressLine(" positions") as line, ks.Database(args.database) as database:
        rows = export(database, args.table, progress=line.show)
    return output.answer(
        args, {"file": args.table, "rows": rows}, f"{args.table}: {so_many(rows, 'row')}"
    )
