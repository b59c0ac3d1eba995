"""`kulami build`, `compact`, `probe`, `info`, `verify`, `export`: solved databases."""

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
from kulami_solver.core.progress import ProgressLine

if TYPE_CHECKING:
    from kulami_solver.kulami.database.collection import Collection
    from kulami_solver.kulami.database.probe import CompactDatabase
    from kulami_solver.storage.database import Verified


def add_commands(commands: Commands) -> None:
    """Add the commands."""
    parser = add_database_command(
        commands, "build", run_build, "solve all that can be reached from a position"
    )
    add_position_options(parser, one=True)
    add_scoring_option(parser)
    parser.build()
    parser.workers("build; they need the folder of DB under the same name")
    parser = add_command(commands, "compact", run_compact, "make a small database without keys")
    parser.file("full", "a database, as build makes it", "FULL")
    parser.file("database", "the file to make", "SMALL")
    parser.number(
        "--fingerprint",
        0,
        16,
        "bits of the fingerprint of each position (0)",
        metavar="BITS",
        default=0,
    )
    parser.number("--every", 1, 4, "keep one ply of N (1)", default=1)
    parser.number(
        "--until", 0, 12, "leave out so many plies at the end (0)", metavar="PLIES", default=0
    )
    parser.build(
        force=(
            "go on whatever the estimate says, throw away another build's work, and replace a "
            "file that is there"
        ),
    )
    parser.workers("compact; they need FULL and the folder of SMALL by the same names")
    parser = add_command(commands, "probe", run_probe, "look a position up in a database")
    parser.add_argument("database", nargs="?", type=file_name, metavar="DB", help="the file")
    parser.add_argument(
        "--database",
        dest="folder",
        type=file_name,
        metavar="FOLDER",
        help="a folder of databases, in place of DB: ask those of the position's board",
    )
    add_scoring_option(parser, "of the databases of FOLDER that are asked (0)")
    add_position_options(parser)
    parser.switch("--all", "the value of every legal field")
    parser = add_database_command(commands, "info", run_info, "what a database holds, ply by ply")
    parser = add_database_command(
        commands, "verify", run_verify, "compute every value of a database again, or check a proof"
    )
    parser.file("--against", "the full database that one without keys was made from", "FULL")
    parser.number("--threads", 1, 256, "threads to use")
    parser.workers("compute; they need the folder of DB under the same name")
    parser = add_database_command(
        commands, "export", run_export, "write a database as a table, or a proof for other checkers"
    )
    parser.output("table", "ends in .csv, or .parquet (needs pyarrow)", nargs="?")
    parser.switch("--kfn", "add a position to each row, as text, and its margin")
    parser.switch("--text", "write a proof to standard output, a step a line")
    parser.add_argument(
        "--plies",
        metavar="FOLDER",
        type=file_name,
        help="write a proof into a folder, a file for each ply",
    )


def opened(path: str) -> ks.Database:
    """The database of this name, with or without keys."""
    from kulami_solver.kulami.database.probe import open_database

    return open_database(path)


def run_build(args: argparse.Namespace) -> int:
    """Build a database."""
    from kulami_solver.kulami.position.scoring import margin_words
    from kulami_solver.storage.build_folder import target_of

    if args.input is not None:
        raise CommandError("input_of_database")
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
    told = _told(built) | {"value": built.value}
    return tell_made(args, built, built.positions, told, margin_words(built.value, root.turn))


def run_compact(args: argparse.Namespace) -> int:
    """Make a database without keys."""
    from kulami_solver.storage.build_folder import target_of

    with building(" positions", target_of(args.database)) as line, workers_asked_for(args) as pool:
        made = ks.compact(
            args.full,
            args.database,
            fingerprint=args.fingerprint,
            every=args.every,
            until=args.until,
            progress=line.show,
            executor=pool,
            **build_options(args),
        )
    told = _told(made) | {"fingerprint": made.fingerprint, "wrong": 2.0**-made.fingerprint}
    return tell_made(args, made, made.positions, told, strangers_in_words(made.fingerprint))


def _told(made: Any) -> dict[str, Any]:
    """The facts about a file that was made."""
    return {
        "database": made.path,
        "positions": made.positions,
        "kept": made.kept,
        "seconds": round(made.seconds, 3),
        "bytes": made.bytes,
    }


def strangers_in_words(fingerprint: int) -> str:
    """The words for what a database without keys knows of positions that it never held."""
    strangers = "positions that were never in it have"
    if fingerprint:
        strangers = f"one in {2**fingerprint:,} positions that were never in it has"
    return f"{strangers} a value, a wrong one, so it answers only those that moves lead to"


def without_keys(database: CompactDatabase) -> str:
    """The remark on a database without keys, for every command that reads one."""
    return f"no keys: {strangers_in_words(database.fingerprint)}"


def asked(args: argparse.Namespace) -> ks.Database | Collection:
    """The source of answers: a database, or the databases of a folder."""
    if (args.database is None) == (args.folder is None):
        raise CommandError("db_or_folder")
    if args.folder is not None and os.path.isfile(args.folder):
        raise CommandError("folder_is_file", path=args.folder)
    if args.database is not None:
        if args.scoring is not None:
            raise CommandError("scoring_of_file")
        return opened(args.database)
    from kulami_solver.kulami.database.collection import Collection

    return Collection(args.folder, args.scoring or "0")


def run_probe(args: argparse.Namespace) -> int:
    """Look up positions."""
    from kulami_solver.kulami.database.collection import Collection
    from kulami_solver.kulami.database.probe import CompactDatabase

    def wrong(database: Any) -> dict[str, Any]:
        return {"wrong": database.wrong} if isinstance(database, CompactDatabase) else {}

    def answer(position: ks.Position) -> int:
        def find() -> tuple[dict[str, Any], str]:
            database: Any = source
            if isinstance(source, Collection):
                database, solution = source.found(position, every_move=args.all)
            else:
                solution = source.probe(position, every_move=args.all)
            words = "" if output.in_json(args) else in_words(solution, args.all)
            if isinstance(database, CompactDatabase):
                words += f"\n          {without_keys(database)}"
            return solution.to_json() | wrong(database), words

        nothing = ks.Solution(position, -1, 1, scoring=source.scoring).to_json()
        nothing |= dict.fromkeys(("lower", "upper", "source"))
        return looked_up(args, find, nothing | wrong(source))

    with asked(args) as source:
        code = answer_each(args, positions(args), answer)
        if isinstance(source, Collection):
            output.warn(f"left aside: {error}" for error in source.refused.values())
    return code


def run_info(args: argparse.Namespace) -> int:
    """Describe a database."""
    with opened(args.database) as database:
        from kulami_solver.kulami.database.probe import CompactDatabase
        from kulami_solver.kulami.export import entropy

        for _ in database.check_sections():
            pass  # raises if one is damaged
        about = {
            "database": database.path,
            "layout": str(database.layout),
            "root": database.root.kfn(),
            "marbles": database.root.marbles,
            "short_end": database.root.short_end,
            "scoring": database.scoring.value,
            "value": database.value,
            "positions": database.positions,
            "kept": database.kept,
            "every": database.every,
            "until": database.until,
            "bytes": database.bytes,
            "bytes_per_position": round(database.bytes / database.positions, 3),
            "entropy_of_values": round(entropy(database), 3),
            "ok": True,
        }
        if isinstance(database, CompactDatabase):
            about |= {"compact": True, "fingerprint": database.fingerprint, "wrong": database.wrong}
        if args.json:
            about["plies"] = [
                {
                    "ply": ply.ply,
                    "positions": ply.positions,
                    "moves": ply.moves,
                    "ended": ply.ended,
                    "bytes": ply.bytes,
                    "lowest": ply.lowest,
                    "values": list(ply.values),
                }
                for ply in database.plies
            ]
            output.json_line(about)
            return EXIT_OK
        output.line(board_text(database.root))
        output.line()
        for name in ("root", "scoring", "value", "positions", "bytes"):
            shown = about[name]
            output.line(
                f"{name:<11}{shown:,}" if name in ("positions", "bytes") else f"{name:<11}{shown}"
            )
        output.line(
            f"{'':<11}{about['bytes_per_position']} bytes a position; its value alone has "
            f"{about['entropy_of_values']} bits of entropy"
        )
        if database.kept < database.positions or isinstance(database, CompactDatabase):
            output.line(f"{'kept':<11}{database.kept:,}")
        if isinstance(database, CompactDatabase):
            output.line(f"{'':<11}{without_keys(database)}")
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
        if args.against is not None:
            raise CommandError("against_of_proof")
        return proofs.run_verify(args)
    from kulami_solver.kulami.database.probe import CompactDatabase

    with contextlib.ExitStack() as stack:
        database: ks.Database | str = args.database
        try:
            database = stack.enter_context(opened(args.database))
        except OtherGameError:
            raise
        except ks.DatabaseError:
            pass  # the check reports it
        else:
            if args.against is not None and not isinstance(database, CompactDatabase):
                raise CommandError("against_full", path=args.database)

        def check(show: Callable[[int, int], None]) -> Verified:
            with workers_asked_for(args) as executor:
                return ks.verify(
                    database,
                    against=args.against,
                    threads=args.threads,
                    progress=show,
                    executor=executor,
                )

        if not isinstance(database, CompactDatabase):
            return report_check(args, check)
        code = report_check(
            args, check, "compared with the full database's", {"wrong": database.wrong}
        )
        if not args.json and code == EXIT_OK:
            output.line(without_keys(database))
        return code


def run_export(args: argparse.Namespace) -> int:
    """Write a database as a table, or a proof for other checkers."""
    from kulami_solver.storage.container import is_proof

    if is_proof(args.database) and not args.text and args.plies is None:
        raise CommandError("proof_as_text")
    if args.plies is not None:
        if args.table is not None or args.kfn or args.text:
            raise CommandError("plies_alone")
        return proofs.run_export_plies(args)
    if args.text:
        if args.table is not None or args.kfn or args.json:
            raise CommandError("text_alone")
        return proofs.run_export(args)
    if args.table is None:
        raise CommandError("table_missing")
    from kulami_solver.kulami.export import export

    with ProgressLine(" positions") as line, opened(args.database) as database:
        rows = export(database, args.table, progress=line.show, kfn=args.kfn)
    return output.answer(args, {"file": args.table, "rows": rows}, f"{args.table}: {rows:,} rows")
