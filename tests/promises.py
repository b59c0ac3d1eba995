"""What docs/stability.md promises, as it is now: tests/promises.txt is the record of it.

    python tests/promises.py       write the record anew; `git diff` shows what has changed

The record has a line for each name, and behind it what programs rely on:

    kulami_solver.Position: (layout, *, first='red', ...); .play(field); .turn; ...
    kulami solve: --goal 'margin' {margin,outcome}; --all; ...
    kulami solve --json: best: null or text; moves[].field: text; ...

A place in an answer is a path, `moves[].field`, and what stands there `text`, `number`, `flag`,
`null`, `list` or `object`. Where keys of an object are data, such as fields, `*` stands for them.
"""

from __future__ import annotations

import argparse
import contextlib
import enum
import importlib
import importlib.util
import inspect
import json
import os
import re
import shlex
import tempfile
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from command_line import kulami
from web_server import serving

from kulami_solver import GameRecord, Layout, Position, just4fun, malawi
from kulami_solver.adapters.hagen import Finished
from kulami_solver.cli import build_parser, output
from kulami_solver.just4fun.replay import record_of
from kulami_solver.kulami.position.scoring import Scoring

ROOT: Final = Path(__file__).resolve().parents[1]
RECORD: Final = Path(__file__).with_suffix(".txt")

# The modules whose public names are promised: those that the documents describe, or import from.
MODULES: Final = (
    "kulami_solver",
    *(f"kulami_solver.{name}" for name in ("bots", "cluster", "game")),
    *(f"kulami_solver.{name}" for name in ("just4fun", "malawi")),
    *(
        f"kulami_solver.adapters.{name}"
        for name in ("batch", "exact", "labels", "pettingzoo", "ugi")
    ),
    *(f"kulami_solver.bots.{name}" for name in ("arena", "check", "engine", "grade")),
    "kulami_solver.bots.kulami.suite",
    "kulami_solver.kulami.database.cost",
    *(f"kulami_solver.kulami.estimate.{name}" for name in ("effort", "proofs")),
    *(f"kulami_solver.kulami.{name}" for name in ("game_record", "plain_reader")),
    "kulami_solver.kulami.position.notation",
    "kulami_solver.kulami.proof.proof",
)

# Those that need a package which not every Python has.
OPTIONAL: Final = {
    "kulami_solver.adapters.pettingzoo": "pettingzoo",
    "kulami_solver.cluster": "distributed",
}

BOARD: Final = "ABBC/ABBC/DDEE"
SMALL_CARDS: Final = "--position '3x3 5:b1 r2b1 r r1.2,b2.3 4.1 -' --line 3 --hand 2"
DRAWN_CARDS: Final = (
    "--position '3x3 2:b1,5:r1,6:r1 r1b2 b r3.3,b4.5 {1.1.2.2} -' --line 3 --hand 2"
)
HIDDEN_CARDS: Final = "--position '2006 - r20b20 r r1.4.7.12,b? - {2.5}'"

# What is run with --json, one after another in one folder. What stands behind `<<<` is typed: a
# line for each part between bars.
RUNS: Final = f"""
build small.kdb --layout {BOARD}
compact small.kdb tiny.kdb
build areas.kdb --layout {BOARD} --moves 'a1 d1' --scoring 1
solve --layout AAB/CCB --all
solve --layout AAB/CCB --goal outcome
solve --layout square --nodes 1000
solve --layout square --moves d4,d7 --nodes 1000 --all --estimate
solve --layout {BOARD} --database small.kdb
solve --input - --results solved.jsonl <<< AAB/CCB - r -
score --layout AAB/CCB --moves a1 --scoring 0
score --layout AAB/CCB --moves a1 --scoring 2
moves --layout AAB/CCB
perft --layout AAB/CCB --depth 2
replay game.jsonl
probe small.kdb --layout {BOARD}
probe small.kdb --layout AAB/CCB
probe small.kdb --layout {BOARD} --all
info small.kdb
info areas.kdb
info tiny.kdb
probe tiny.kdb --layout {BOARD}
verify tiny.kdb --against small.kdb
verify small.kdb
prove small.kpf --layout {BOARD}
verify small.kpf
export areas.kdb table.csv
estimate --layout {BOARD} --cores 1
estimate --layout square --cores 1
layout square
layout AAB/CCB
show --layout {BOARD} --moves b1 --svg board.svg
show --layout {BOARD} --values
check greedy --positions 2 --workers 1 --results asked.jsonl
check greedy random --positions 2 --workers 1
match random greedy --games 2 --workers 1 --marbles 2 --save played.jsonl
match random greedy mcts:5 --games 2 --workers 1 --marbles 2
grade game.jsonl
labels rows.npz --count 4 --free 20 --layout square --threads 1 --kfn
puzzles puzzles.jsonl --count 1
play --layout {BOARD} --bot greedy --side red <<< b1|best|values|score|undo|kfn|quit
completion bash
malawi build malawi.kdb --board 2x3
malawi solve --board 2x3 --all
malawi solve --board 6x6 --depth 1
malawi probe malawi.kdb --board 2x3 --all
malawi info malawi.kdb
malawi verify malawi.kdb
malawi show --mfn 'r1b2/../b0r1 r'
malawi turns --board 2x3
malawi play --board 2x3 <<< turns|best|undo|mfn|quit
malawi match random greedy --board 2x3 --games 2 --workers 1
malawi check greedy --board 2x3 --positions 2 --workers 1
malawi grade - <<< {{"board": "2x3", "beads": 2, "moves": ["a3:b3"]}}
just4fun solve {SMALL_CARDS}
just4fun expect {DRAWN_CARDS}
just4fun advise {HIDDEN_CARDS} --deals 1
just4fun odds {HIDDEN_CARDS} --kept 4.7
just4fun show {SMALL_CARDS} --svg cards.svg
just4fun replay cards.jsonl
just4fun play --deal 1 --deals 1 --seed 1 <<< moves|advice|odds|best|undo|jfn|record|quit
just4fun match random greedy --games 2 --workers 1 --stones 2
just4fun check greedy --positions 2 --workers 1
about
""".strip().splitlines()

# What the server is asked with; all that may be asked is there, since other keys are refused.
GAME: Final[dict[str, Any]] = {
    "layout": BOARD, "moves": "b1", "first": "red", "marbles": 28, "scoring": 0, "short_end": False,
}  # fmt: skip
FIGURES: Final[dict[str, Any]] = {"board": "2x3", "beads": 2, "moves": ""}
CARDS: Final[dict[str, Any]] = {
    "board": "2006", "dummy": False, "hand": 4, "line": 4, "moves": "", "players": "rb",
    "see": ["red", "blue"], "seed": 7, "stones": 20,
}  # fmt: skip
ASKED: Final[dict[str, Any]] = {
    "health": None,
    "options": None,
    "layouts": None,
    "board": {"layout": BOARD},
    "layout": {"seed": 1, "irregular": True},
    "arrange": {
        "layout": BOARD, "red": ["b1"], "black": [], "turn": "black", "last": ["b1"],
        "marbles": 28, "short_end": False,
    },
    "import": {"text": Position(Layout.parse(BOARD)).kfn(), "first": "red"},
    "position": GAME,
    "export": GAME,
    "picture": {**GAME, "format": "svg"},
    "move": {**GAME, "bot": "greedy", "seed": 1, "time": 1},
    "analyse": {**GAME, "all": True, "goal": "margin", "threads": 1, "time": 9},
    "grade": {**GAME, "time": 9},
    "malawi/position": FIGURES,
    "malawi/picture": FIGURES,
    "malawi/move": {**FIGURES, "bot": "greedy", "bot_seed": 1, "time": 1},
    "malawi/analyse": {**FIGURES, "time": 0.2},
    "just4fun/position": CARDS,
    "just4fun/picture": CARDS,
    "just4fun/move": {**CARDS, "bot": "greedy", "bot_seed": 1, "time": 1},
    "just4fun/analyse": {**CARDS, "time": 0.2},
}  # fmt: skip

# What classes can do without being called by name.
_OPERATORS: Final = {
    f"__{name}__"
    for name in ("add", "call", "contains", "enter", "eq", "exit", "getitem", "iter", "len", "lt")
}

_KINDS: Final[dict[type, str]] = {
    bool: "flag",
    int: "number",
    float: "number",
    str: "text",
    type(None): "null",
    list: "list",
    dict: "object",
}
_DATA: Final = re.compile(r"-?\d.*|[a-p]\d.*|.*[:=].*")  # numbers, fields, moves, bots


def is_here(module: str) -> bool:
    """Whether what a module needs is installed."""
    return module not in OPTIONAL or importlib.util.find_spec(OPTIONAL[module]) is not None


def names() -> dict[str, list[str]]:
    """The public names of the modules, and how each is used."""
    found: dict[str, list[str]] = {}
    seen: dict[int, str] = {}
    for module_name in filter(is_here, MODULES):
        module = importlib.import_module(module_name)
        for name in module.__all__:
            value, full = getattr(module, name), f"{module_name}.{name}"
            if isinstance(value, type):
                first = seen.setdefault(id(value), full)
                found[full] = [f"= {first}"] if first != full else list(_class(value))
            elif callable(value) and hasattr(value, "__qualname__"):
                found[full] = [_signature(value)]
            elif isinstance(value, types.UnionType):  # Python 3.14 names its type Union
                found[full] = ["UnionType"]
            else:
                found[full] = [type(value).__name__]
    return found


def _class(kind: type) -> Iterator[str]:
    """How it is made, and the public attributes and methods that it has from this package."""
    if issubclass(kind, BaseException):  # the package makes them, programs catch them
        yield f"is a {', '.join(base.__name__ for base in kind.__mro__[1:-2])}"
    elif issubclass(kind, enum.Enum):
        yield f"one of {', '.join(kind.__members__)}"
    elif "__init__" in vars(kind) or hasattr(kind, "_fields"):
        yield _signature(kind)
    bases = kind.__mro__[: 1 if issubclass(kind, BaseException) else None]
    ours = [one for one in bases if one.__module__.startswith("kulami_solver")]
    members = {name for one in ours for name in (*vars(one), *inspect.get_annotations(one))}
    members -= {*getattr(kind, "__members__", ())}
    for name in sorted(members):
        value = inspect.getattr_static(kind, name, None)
        if name in _OPERATORS:
            yield name
        elif name.startswith("_"):
            continue
        elif isinstance(value, (staticmethod, classmethod)):
            yield f".{name}{_signature(getattr(kind, name))}"
        elif callable(value) and not isinstance(value, type):
            yield f".{name}{_signature(value, skip=1)}"
        else:
            yield f".{name}"


def _signature(function: Any, skip: int = 0) -> str:
    """How it is called: what it takes, by place or by name, without types."""
    parameters = list(inspect.signature(function).parameters.values())[skip:]
    bare = [one.replace(annotation=inspect.Parameter.empty) for one in parameters]
    return re.sub(r" at 0x\w+", "", str(inspect.Signature(bare)))


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The parser of a command, and those of all that belong to it."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from parsers(command)


def commands() -> dict[str, list[str]]:
    """The commands, and all that may be written behind them, as their `--help` shows it."""
    return {
        command.prog: list(map(_argument, command._actions)) for command in parsers(build_parser())
    }


def _argument(action: argparse.Action) -> str:
    said = ["/".join(action.option_strings) or action.dest.upper()]
    if action.default not in (None, argparse.SUPPRESS, False, []):
        said.append(repr(action.default))
    if action.choices:
        said.append(f"{{{','.join(map(str, action.choices))}}}")
    takes = "VALUE" if action.nargs is None else str(action.nargs or "")
    said += ["must be given"] if action.required and action.option_strings else []
    return " ".join((*said, takes)).strip()


def environment() -> list[str]:
    """The variables that the package and its building read."""
    sources = [ROOT / "setup.py", *sorted((ROOT / "kulami_solver").rglob("*.py"))]
    pattern = re.compile(r"""environ(?:\.get\(|\[)\s*["'](\w+)["']""")
    texts = (source.read_text(encoding="utf-8") for source in sources)
    return sorted({name for text in texts for name in pattern.findall(text)})


def paths(values: Iterable[object]) -> list[str]:
    """What stands where in some answers of one kind.

    >>> paths([{"best": "a1", "moves": [{"field": "a1"}]}, {"best": None, "moves": []}])
    ['best: null or text', 'moves: list', 'moves[].field: text', 'moves[]: object']
    >>> paths([{"free": {"4": 1, "5": 2}}])
    ['free.*: number', 'free: object']
    """
    found: dict[str, set[str]] = {}

    def look(value: object, path: str) -> None:
        if path:
            found.setdefault(path, set()).add(_KINDS[type(value)])
        if isinstance(value, dict):
            for key, inner in value.items():
                step = "*" if _DATA.fullmatch(key) else key
                look(inner, f"{path}.{step}" if path else step)
        elif isinstance(value, list):
            for inner in value:
                look(inner, f"{path}[]")

    for value in values:
        look(value, "")
    return sorted(f"{path}: {' or '.join(sorted(kinds))}" for path, kinds in found.items())


def answers() -> dict[str, list[str]]:
    """What the commands answer with --json, and engines to `ugi`, in the folder worked in."""
    told: dict[str, list[object]] = {}
    for line in RUNS:
        words, _, typed = line.partition(" <<< ")
        ran = kulami(*shlex.split(words), "--json", stdin=typed.replace("|", "\n").encode())
        if ran.code == output.EXIT_BAD_INPUT or not ran.out.startswith("{"):
            raise AssertionError(f"{line}: {ran.err}{ran.out}")
        named = re.match(r"(?:malawi |just4fun )?\w+", line)
        assert named is not None
        told.setdefault(f"kulami {named[0]} --json", []).extend(ran.answers)
    found = {command: paths(said) for command, said in told.items()}
    found["kulami about --json"] = sorted(told["kulami about --json"][0])  # type: ignore[call-overload]
    for command in ("engine", "malawi engine", "just4fun engine"):
        ran = kulami(
            *command.split(), "--bot", "greedy", "--seed", "1", stdin=b"ugi\nisready\nquit\n"
        )
        found[f"kulami {command}"] = ran.out.splitlines()[2:]  # behind the name with the version
    ended = Finished("red", "somebody", Position(Layout.square()), Scoring.LEVEL0, reason="over")
    found["kulami hagen --json"] = paths([ended.record() | {"agrees": ended.agrees}])
    return found


def files() -> dict[str, list[str]]:
    """What stands in the files that commands have written in the folder that is worked in."""
    found = {"table of a database": Path("table.csv").read_text("utf-8").splitlines()[0].split(",")}
    for name in ("small.kdb", "areas.kdb", "tiny.kdb", "malawi.kdb"):
        data = Path(name).read_bytes()
        begin = f"{data[:8].decode()}, version {int.from_bytes(data[8:12], 'little')}"
        header = json.loads(data[64 : 64 + int.from_bytes(data[12:16], "little")])
        found[name] = [begin, *paths([header])]
    for name in ("solved.jsonl", "asked.jsonl", "played.jsonl", "game.jsonl", "cards.jsonl"):
        lines = Path(name).read_text("utf-8").splitlines()
        head, *rest = (json.loads(line.removeprefix("# ")) for line in lines)
        found[f"{name}, first line"] = paths([head])
        if rest:
            found[f"{name}, the others"] = paths(rest)
    with np.load("rows.npz") as rows:
        found["labels"] = [f"{name}: {rows[name].dtype.kind}" for name in rows.files]
    return found


def notations() -> dict[str, list[str]]:
    """One position or game in each notation, as it is written."""
    position = Position(Layout.square()).play_all("d4 d7")
    figures = malawi.Position.from_mfn("b2b1/../r0r3 r")
    cards = just4fun.Position.from_jfn(shlex.split(SMALL_CARDS)[1], line=3, hand=2)
    return {
        "KFN": [position.kfn()],
        "Hagen": [position.hagen()],
        "KBN": [position.kbn()],
        "MFN": [figures.mfn(), *map(str, figures.legal_turns)],
        "JFN": [cards.jfn(), *map(str, cards.legal_moves)],
        "text of a game": _game().text().splitlines(),
    }


def page() -> dict[str, list[str]]:
    """What the server answers, with databases of the folder worked in.

    Of a stream, `progress` is left out: it comes only where there is time for it.
    """
    found = {}
    with serving("--database", "small.kdb", "malawi.kdb") as server:
        found["a refusal"] = paths([json.loads(server.ask("/api/position", {"kfn": "none"})[1])])
        for name, body in ASKED.items():
            status, answer = server.ask(f"/api/{name}", body)
            if status != 200:
                raise AssertionError(f"/api/{name}: {answer.decode()}")
            text = answer.decode()
            events = re.findall(r"^event: (\w+)\ndata: (.*)$", text, re.MULTILINE)
            if events:
                told = {event: json.loads(data) for event, data in events if event != "progress"}
                found[f"/api/{name}"] = paths([told])
            else:
                found[f"/api/{name}"] = paths([json.loads(text)]) if text[0] == "{" else [text[:4]]
    return found


@contextlib.contextmanager
def _working_in_a_folder() -> Iterator[None]:
    """A folder of its own, with the games that commands read."""
    here = Path.cwd()
    start = just4fun.deal(just4fun.Board.parse("2006"), 3)
    played = list(just4fun.random_game(start, 1))
    cards = record_of(start, [turn for turn, _ in played], played[-1][1])
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            Path("game.jsonl").write_text(json.dumps(_game().to_json()) + "\n", "ascii")
            Path("cards.jsonl").write_text(json.dumps(cards) + "\n", "ascii")
            yield
        finally:
            os.chdir(here)


def _game() -> GameRecord:
    start = Position(Layout.parse(BOARD))
    moves, position = [], start
    while not position.is_over:
        moves.append(position.legal_fields[0])
        position = position.play(moves[-1])
    return GameRecord.played(start, moves)


def promised() -> dict[str, list[str]]:
    """All that is promised, as it is now."""
    codes = {name: [str(code)] for name, code in vars(output).items() if name[:4] == "EXIT"}
    with _working_in_a_folder():
        found = {**names(), **commands(), **answers(), **files(), **page(), **notations(), **codes}
    found["environment"] = environment()
    return {name: said or ["class"] for name, said in found.items()}


def recorded() -> dict[str, list[str]]:
    """What is on record."""
    lines = (line.split(": ", 1) for line in RECORD.read_text("utf-8").splitlines())
    return {name: said.split("; ") for name, said in lines}


if __name__ == "__main__":
    promises = promised()
    for kept, said in recorded().items() if RECORD.exists() else ():
        if not all(is_here(one) for one in MODULES if kept.startswith(f"{one}.")):
            promises[kept] = said
    RECORD.write_text(
        "".join(f"{name}: {'; '.join(promises[name])}\n" for name in sorted(promises)), "utf-8"
    )
