#!/usr/bin/env python3
"""What is promised to users, as it is now, against what is on record in tests/promises.json.

    python scripts/promises.py             compare; exit code 1 if they differ
    python scripts/promises.py --write     record what is new
    python scripts/promises.py --break     record what is gone or has changed, too

docs/stability.md says what is promised and how a promise is ended. The record has for each kind of
promise the names that programs rely on, and for each name what they rely on about it:

    names         "kulami_solver.solve": ["function", "1. position", ..., "keyword time = None"]
    commands      "kulami solve --goal": ["option", "default 'margin'", "choice margin", ...]
    answers       "kulami solve --json": ["best: text or null", "moves[].field: text", ...]
    page          "POST /api/position": ["asks kfn", ..., "legal[]: text", ...]
    files         "database of Kulami": ["layout: text", ...]
    notations     "KFN": ["AAB/CCB r b a1"]
    exit codes    "EXIT_BAD_INPUT": ["2"]
    environment   "NO_COLOR": ["variable"]
    former names  "kulami_solver.notation": ["kulami_solver.kulami.notation"]

Whatever stands in a list has to stay; more may come, as long as old calls go on working.
"""

from __future__ import annotations

import argparse
import builtins
import enum
import importlib
import importlib.util
import inspect
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeAlias

from promised_answers import answers, files, notations, page, working_in_a_folder

from kulami_solver.cli import build_parser, ending
from kulami_solver.former_names import FORMER_NAMES

ROOT: Final = Path(__file__).resolve().parents[1]
FILE: Final = ROOT / "tests" / "promises.json"

Promises: TypeAlias = dict[str, dict[str, list[str]]]

# The modules whose public names are promised: those that the documents describe, or import from.
MODULES: Final = (
    "kulami_solver",
    "kulami_solver.adapters.batch",
    "kulami_solver.adapters.hagen",
    "kulami_solver.adapters.labels",
    "kulami_solver.adapters.openspiel",
    "kulami_solver.adapters.pettingzoo",
    "kulami_solver.adapters.ugi",
    "kulami_solver.bots",
    "kulami_solver.bots.arena",
    "kulami_solver.bots.case",
    "kulami_solver.bots.check",
    "kulami_solver.bots.engine",
    "kulami_solver.bots.grade",
    "kulami_solver.bots.kulami.suite",
    "kulami_solver.bots.malawi.builtin",
    "kulami_solver.bots.match",
    "kulami_solver.cluster",
    "kulami_solver.errors",
    "kulami_solver.game",
    "kulami_solver.just4fun",
    "kulami_solver.kulami.effort",
    "kulami_solver.kulami.estimate",
    "kulami_solver.kulami.export",
    "kulami_solver.kulami.game_record",
    "kulami_solver.kulami.notation",
    "kulami_solver.kulami.replay",
    "kulami_solver.malawi",
)

# Those that need a package which not every Python has.
OPTIONAL: Final = {
    "kulami_solver.adapters.openspiel": "pyspiel",
    "kulami_solver.adapters.pettingzoo": "pettingzoo",
    "kulami_solver.cluster": "distributed",
}

# What classes can do without being called by name.
_OPERATORS: Final = {
    f"__{name}__"
    for name in ("add", "call", "contains", "enter", "eq", "exit", "getitem", "iter", "len", "lt")
}

# A promise that old programs could not keep their side of.
_DEMAND: Final = re.compile(r"(\d+\. |keyword )\w+$|must be given$")


def is_here(module: str) -> bool:
    """Whether what a module needs is installed."""
    return module not in OPTIONAL or importlib.util.find_spec(OPTIONAL[module]) is not None


def _module_of(name: str) -> str:
    """The module that a full name begins with; the empty text if it is none of `MODULES`."""
    return max((one for one in MODULES if name.startswith(f"{one}.")), key=len, default="")


def names() -> dict[str, list[str]]:
    """The public names of the modules, and what a program may do with each."""
    found: dict[str, list[str]] = {}
    for module_name in filter(is_here, MODULES):
        module = importlib.import_module(module_name)
        for name in module.__all__:
            value = getattr(module, name)
            full = f"{module_name}.{name}"
            if isinstance(value, type):
                found[full] = _class(value)
                found.update((f"{full}.{member}", said) for member, said in _members(value))
            elif callable(value) and hasattr(value, "__qualname__"):
                found[full] = ["function", *_parameters(value)]
            else:
                found[full] = [f"a {type(value).__name__}"]
    return found


def _class(kind: type) -> list[str]:
    if issubclass(kind, enum.Enum):
        return ["class", *(f"member {name}" for name in kind.__members__)]
    said = ["class"]
    if issubclass(kind, BaseException):  # the package makes them, programs catch them
        bases = [base for base in kind.__mro__[1:-1] if base in _public_classes()]
        return said + [f"is a {base.__name__}" for base in bases]
    of_its_own = [owner for owner in kind.__mro__ if _is_ours(owner)]
    said += sorted(f"has {name}" for name in _OPERATORS & {*chain(*map(vars, of_its_own))})
    made_here = any(_is_ours(getattr(owner, "__init__", None)) for owner in of_its_own)
    return said + (_parameters(kind) if made_here or hasattr(kind, "_fields") else [])


@lru_cache(maxsize=1)
def _public_classes() -> set[object]:
    """What Python has built in, and the public names of the modules."""
    modules = [importlib.import_module(name) for name in filter(is_here, MODULES)]
    public = [getattr(module, name) for module in modules for name in module.__all__]
    return {one for one in (*public, *vars(builtins).values()) if isinstance(one, type)}


def _members(kind: type) -> Iterator[tuple[str, list[str]]]:
    """The public attributes and methods that a class has from this package."""
    owners = [owner for owner in kind.__mro__ if _is_ours(owner)]
    members = {
        name: owner
        for owner in reversed(owners)
        for name in (*vars(owner), *inspect.get_annotations(owner))
        if not name.startswith("_")
    }
    for name, owner in sorted(members.items()):
        if issubclass(kind, enum.Enum) and name in kind.__members__:
            continue
        value = vars(owner).get(name)
        if isinstance(value, (staticmethod, classmethod)):
            yield name, ["method", *_parameters(getattr(kind, name))]
        elif callable(value) and not isinstance(value, type):
            yield name, ["method", *_parameters(value, skip=1)]
        else:
            yield name, ["attribute"]


def _is_ours(thing: object) -> bool:
    return str(getattr(thing, "__module__", None)).startswith("kulami_solver")


def _parameters(function: Any, skip: int = 0) -> list[str]:
    """How it is called: what it takes, by place or by name."""
    said = []
    parameters = list(inspect.signature(function).parameters.values())[skip:]
    for number, one in enumerate(parameters, start=1):
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD):
            said.append("any more" if one.kind is one.VAR_POSITIONAL else "any keywords")
            continue
        place = "keyword" if one.kind is one.KEYWORD_ONLY else f"{number}."
        default = "" if one.default is one.empty else f" = {_shown(one.default)}"
        said.append(f"{place} {one.name}{default}")
    return said


def _shown(value: object) -> str:
    """A default, without addresses in memory."""
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    return re.sub(r" at 0x\w+", "", repr(value))


def commands() -> dict[str, list[str]]:
    """The commands, and all that may be written behind them."""
    found: dict[str, list[str]] = {}
    for command in parsers(build_parser()):
        found[command.prog] = ["command"]
        for action in command._actions:
            if isinstance(action, argparse._SubParsersAction):
                continue
            kind = "option" if action.option_strings else "argument"
            said = [kind if action.nargs != 0 else "flag"]
            if action.default not in (None, argparse.SUPPRESS, False, []):
                said.append(f"default {_shown(action.default)}")
            if action.required and action.nargs not in ("?", "*"):
                said.append("must be given")
            said += [f"choice {choice}" for choice in action.choices or ()]
            for name in action.option_strings or [action.dest.upper()]:
                found[f"{command.prog} {name}"] = said
    return found


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The parser of a command, and those of all that belong to it."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from parsers(command)


def environment() -> dict[str, list[str]]:
    """The variables that the package and its building read."""
    sources = [ROOT / "setup.py", *sorted((ROOT / "kulami_solver").rglob("*.py"))]
    pattern = re.compile(r"""environ(?:\.get\(|\[)\s*["'](\w+)["']""")
    texts = (source.read_text(encoding="utf-8") for source in sources)
    return {name: ["variable"] for text in texts for name in pattern.findall(text)}


def promised() -> Promises:
    """All that is promised, as it is now."""
    codes = {name: [str(getattr(ending, name))] for name in ending.__all__ if name[:4] == "EXIT"}
    with working_in_a_folder():
        return {
            "names": names(),
            "commands": commands(),
            "answers": answers(),
            "page": page(),  # from here on with files that the commands have written
            "files": files(),
            "notations": notations(),
            "exit codes": codes,
            "environment": environment(),
            "former names": {former: [name] for former, name in FORMER_NAMES.items()},
        }


@dataclass(frozen=True)
class Difference:
    """Something that is not as the record has it; `is_broken` if programs can tell."""

    is_broken: bool
    text: str


def differences(kept: Promises, found: Promises) -> list[Difference]:
    """What has changed since the record was written, one sentence each."""
    told = []
    for kind in sorted({*kept, *found}):
        before, after = kept.get(kind, {}), found.get(kind, {})
        for name in sorted({*before, *after}):
            if name not in after:
                if kind != "names" or is_here(_module_of(name)):
                    told.append(_broken(f"{kind}: {name} is gone"))
            elif name not in before:
                command = name.rpartition(" ")[0]
                if kind == "commands" and command in before and "must be given" in after[name]:
                    told.append(_broken(f"{kind}: {name} has to be given now"))
                else:
                    told.append(Difference(False, f"{kind}: {name} is new: {_RECORD}"))
            else:
                told += _changes(f"{kind}: {name}", before[name], after[name])
    return told


_RECORD: Final = (
    "if it is meant for users, document it and run  python scripts/promises.py --write; "
    "else give it no public name"
)
_KEEP: Final = (
    "it is promised: keep it as it was, or deprecate it first as docs/stability.md says, and run  "
    "python scripts/promises.py --break  when its time is over"
)


def _broken(what: str) -> Difference:
    return Difference(True, f"{what}: {_KEEP}")


def _changes(name: str, before: list[str], after: list[str]) -> Iterator[Difference]:
    """What has changed about one name."""
    for said in before:
        if not any(_keeps(now, said) for now in after):
            yield _broken(f"{name} no longer has '{said}'")
    for said in after:
        if any(_keeps(said, then) for then in before):
            continue
        if _DEMAND.match(said):
            yield _broken(f"{name} has '{said}' now, which old calls do not give")
        else:
            yield Difference(False, f"{name} has '{said}', which is new: {_RECORD}")


def _keeps(now: str, then: str) -> bool:
    """Whether what is said now keeps what was promised then.

    >>> _keeps("1. depth = 3", "1. depth"), _keeps("best: text", "best: text or null")
    (True, True)
    >>> _keeps("best: text or null", "best: text"), _keeps("2. depth", "1. depth")
    (False, False)
    """
    if now == then or now.startswith(f"{then} = "):
        return True
    key, colon, kinds = now.partition(": ")
    key_then, _, kinds_then = then.partition(": ")
    may_be = {*kinds_then.split(" or ")}
    return bool(colon) and key == key_then and may_be >= {*kinds.split(" or ")}


def recorded() -> Promises:
    """What is on record."""
    kept: Promises = json.loads(FILE.read_text(encoding="ascii"))
    return kept


def text(promises: Promises) -> str:
    """The record as it is written: a line for each name, sorted."""
    lines = []
    for kind in sorted(promises):
        of_kind = [
            f"  {json.dumps(name)}: {json.dumps(promises[kind][name])}"
            for name in sorted(promises[kind])
        ]
        lines.append(f"{json.dumps(kind)}: {{\n" + ",\n".join(of_kind) + "\n}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def with_modules_not_here(kept: Promises, found: Promises) -> Promises:
    """What is found, and what is on record of modules that cannot be imported here."""
    absent = {
        name: said for name, said in kept.get("names", {}).items() if not is_here(_module_of(name))
    }
    return {**found, "names": {**found["names"], **absent}}


def main() -> int:
    """Compare, or write the record anew."""
    parser = argparse.ArgumentParser(description="What is promised, against the record.")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--write", action="store_true", help="record what is new")
    group.add_argument(
        "--break", action="store_true", dest="breaking", help="record what is gone or changed, too"
    )
    args = parser.parse_args()
    kept = recorded() if FILE.exists() else {}
    found = promised()
    told = differences(kept, found)
    broken = any(one.is_broken for one in told)
    for one in told:
        print(one.text)
    if args.breaking or (args.write and not broken):
        FILE.write_text(text(with_modules_not_here(kept, found)), encoding="ascii")
        return 0
    if args.write:
        print("nothing is written: promises are broken (see above)", file=sys.stderr)
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
