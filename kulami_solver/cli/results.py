"""Files of results, from which a command can go on: `--results` and `--save`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kulami_solver.cli import output
from kulami_solver.cli.ending import CommandError
from kulami_solver.errors import KulamiError, reason

if TYPE_CHECKING:
    from kulami_solver.storage.journal import ResultFile


def result_file(
    option: str,
    path: str,
    header: Mapping[str, object],
    fingerprints: Mapping[str, Mapping[str, Any]] | None = None,
) -> ResultFile:
    """Open a file of results; the other arguments are those of `ResultFile`.

    Raises:
        CommandError: it cannot be written, or holds something else; the message names the option.
    """
    from kulami_solver.storage.journal import ResultFile

    output.check_writable(option, path)
    try:
        return ResultFile(path, header, fingerprints)
    except OSError as fault:
        raise CommandError("cannot_write", option=option, path=path, why=reason(fault)) from None
    except KulamiError as error:
        raise CommandError(error.at("named_place", name=option)) from None


def taken_from_file(path: str, kept: int, number: int, what: str) -> str:
    """Say how many results have been taken from a file, and how many are new."""
    return f"{kept:,} of the {number:,} {what} were in {path} already, {number - kept:,} are new"


def warn_of_untold(results: ResultFile) -> None:
    """Warn if a file does not describe the bots that gave its results."""
    if not results.told and results.known:
        output.warn(
            [
                f"{results.path} was begun by a version that did not note what a bot was: its "
                f"{len(results.known)} results are taken, whether or not the bot has changed "
                "since then; name another file to have everything anew"
            ]
        )
