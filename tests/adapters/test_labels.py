"""Labelled positions: exact, each once, the same after an interruption as without one."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import good, kulami, process, until

from kulami_solver import (
    Database,
    DatabaseError,
    KulamiError,
    Layout,
    Position,
    Scoring,
    build,
    open_database,
    solve,
)
from kulami_solver.adapters.exact import NO_VALUE
from kulami_solver.adapters.labels import (
    Digest,
    LabelPlan,
    label_planes,
    read_labels,
    splits,
    write_labels,
    writing,
)
from kulami_solver.adapters.labels.table import ESTIMATES, ROW, Seen, keys_of, row_of
from kulami_solver.adapters.labels.writing import Parts
from kulami_solver.adapters.planes import Planes
from kulami_solver.kulami.position.edition import Edition
from kulami_solver.kulami.solve.solver import Solver
from kulami_solver.storage.kept_work import BuildFolder

parquet = pytest.importorskip("pyarrow.parquet", reason="pip install 'kulami_solver[parquet]'")

SQUARE = Layout.square()
SMALL = Layout.parse("AABB/AACC/DDCC/DDEE")
L = "labels.parquet"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def arranged(file: Any, row: int, **options: Any) -> Position:
    """The position of a row."""
    layout = Layout.parse(file["layout"][row])
    numbers = {name: int(file[name][row]) for name in ("red", "black", "turn", "last", "before")}
    lasts = [layout.fields[numbers[name]] for name in ("last", "before") if numbers[name] >= 0]
    turn = ("red", "black")[numbers["turn"]]
    return Position.arranged(layout, numbers["red"], numbers["black"], turn, lasts, **options)


def positions_in(path: str, **options: Any) -> list[tuple[Position, int, dict[str, int]]]:
    """What a file says: positions, their margins, and their fields' values."""
    file = read_labels(path)
    found = []
    for row in range(len(file["margin"])):
        position = arranged(file, row, **options)
        layout = position.layout
        assert int(file["legal"][row]) == position.legal_mask
        assert int(file["free"][row]) == position.free_count
        assert int(file["supply"][row]) == position.supply
        values = file["values"][row]
        assert (values[len(layout) :] == NO_VALUE).all()
        named = {layout.fields[f]: int(values[f]) for f in np.flatnonzero(values != NO_VALUE)}
        found.append((position, int(file["margin"][row]), named))
    return found


def rows_of(path: str) -> Any:
    """The table; what is in its metadata names the file and what it was made of."""
    return parquet.read_table(path).replace_schema_metadata()


def write(plan: LabelPlan, name: str = "whole.parquet", **options: Any) -> Any:
    """Write a file, and say what there is in it; in this process unless workers are asked for."""
    if options.keys() & {"workers", "executor"}:
        return write_labels(name, plan, **options)
    with ThreadPoolExecutor(1) as executor:
        return write_labels(name, plan, executor=executor, **options)


@pytest.mark.parametrize(
    "plan",
    [
        LabelPlan(60, (6, 16)),
        LabelPlan(40, (8, 12), Scoring.LEVEL2, seed=3),
        LabelPlan(40, (14, 40), Scoring.CHAINS, edition=Edition(13, short_end=True)),
        LabelPlan(30, (9, 13), layout=Layout.parse("ABBCD/ABBCD/ABBEE/FFFEE"), games=3),
        LabelPlan(20, (8, 12), layout=SQUARE, games=4, bots=("greedy", "random")),
    ],
)
def test_labels_are_what_solve_says(plan: LabelPlan) -> None:
    assert write(plan).counts.rows == plan.count
    options = dict(plan.edition)
    listed = positions_in("whole.parquet", **options)
    assert len({position for position, _, _ in listed}) == len(listed) == plan.count
    for position, margin, values in listed:
        solution = solve(position, plan.scoring, every_move=True)
        assert margin == solution.margin
        assert values == {move.field: move.margin for move in solution.moves}
        assert plan.free[0] <= position.free_count <= plan.free[1]
    write(replace(plan, seed=plan.seed + 1), "other.parquet")
    others = {position for position, _, _ in positions_in("other.parquet", **options)}
    assert len(others & {position for position, _, _ in listed}) < plan.count / 2
    assert (
        not plan.bots
        or "`greedy` and `random` against each" in Path("whole.parquet.md").read_text()
    )


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """All positions of a board of 4x4 fields."""
    path = tmp_path_factory.mktemp("labels") / "small.kdb"
    build(path, Position(SMALL))
    with open_database(path) as opened:
        yield opened


def test_a_database_gives_the_same_labels(database: Database) -> None:
    """What it holds is not searched; one of a single first field has the rest solved."""
    plan = LabelPlan(400, (2, 14), layout=SMALL, seed=4)
    write(plan)
    write(plan, "looked_up.parquet", database=database, workers=2)
    assert rows_of("looked_up.parquet").equals(rows_of("whole.parquet"))
    card = Path("looked_up.parquet.md").read_text()
    assert f"--database {database.path}`" in card
    assert "proved in a database or by search" in card
    nodes = []
    for oracle in (None, database.oracle(database.root, "0")):
        solver = Solver(database.root, Scoring.LEVEL0, 1 << 20, oracle=oracle)
        assert solver.every_margin(database.root)[0] == database.value
        nodes.append(solver.nodes)
    assert nodes[1] < nodes[0] / 100
    build("a1.kdb", Position(SMALL).play("a1"))
    with open_database("a1.kdb") as opened:
        write(plan, "some.parquet", database=opened)
        held = [position in opened for position, _, _ in positions_in("some.parquet")]
    assert 0 < sum(held) < len(held)
    assert rows_of("some.parquet").equals(rows_of("whole.parquet"))
    # The command takes its board, too, where no layout is named.
    words = ["--database", database.path, "--count", "200", "--free", "4-12"]
    good("labels", "solved.parquet", "--layout", str(SMALL), *words[2:])
    good("labels", "command.parquet", *words)
    assert rows_of("command.parquet").equals(rows_of("solved.parquet"))
    there = sorted(os.listdir())
    answers = f"answers for --layout {SMALL} --marbles 28 without --short-end"
    for more, said in (
        (["--layout", "square"], answers),
        (["--marbles", "4"], answers),
        (["--scoring", "2"], "counts by scoring 0, and 2 is asked for; give --scoring 0"),
        (["--database", "nowhere.kdb"], "nowhere.kdb"),
    ):
        ran = kulami("labels", "x.parquet", *words, *more)
        assert (ran.code, said in ran.err, ran.err.count("\n")) == (2, True, 1)
    with pytest.raises(DatabaseError, match="answers for --layout"):
        write(LabelPlan(10), "x.parquet", database=database)
    with pytest.raises(DatabaseError, match="give one that open_database has opened"):
        write(LabelPlan(10), "x.parquet", database=database.path)
    assert sorted(os.listdir()) == there


# The file


def test_the_file_has_categories_nulls_row_groups_and_metadata(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kulami_solver.adapters.labels.parquet._TOGETHER", 100)
    counts = write(LabelPlan(300, (9, 10), Scoring.LEVEL1, SQUARE, seed=5), L).counts
    file = parquet.ParquetFile(L)
    assert file.num_row_groups >= 2
    table, arrays = file.read(), read_labels(L)
    for name in set(ROW.names or ()) - {"values"}:
        assert table[name].to_pylist() == arrays[name].tolist(), name
        assert table.schema.field(name).type == str(arrays[name].dtype) == str(ROW[name]), name
    assert str(table.schema.field("layout").type).startswith("dictionary<values=string")
    assert table["layout"].to_pylist() == arrays["layout"].tolist()
    values = [[NO_VALUE if v is None else v for v in row] for row in table["values"].to_pylist()]
    assert values == arrays["values"].tolist()
    assert json.loads(table.schema.metadata[b"kulami.labels"])["free"] == [9, 10]
    card = Path(f"{L}.md").read_text()
    assert card == file.metadata.metadata[b"kulami.card"].decode()
    digest = Digest()
    digest.add(arrays)
    assert f"`{digest}`" in card
    digest.add({"split": [0]})
    assert f"`{digest}`" not in card
    command = f"kulami labels {L} --count 300 --free 9-10 --scoring 1 "
    assert f"`{command}--layout {SQUARE} --seed 5`" in card
    assert "| positions | 300, each once" in card
    for free in (9, 10):
        assert f"| {free} | {int((arrays['free'] == free).sum())} |" in card
    signs = np.sign(arrays["margin"]).tolist()
    for outcome, sign in (("win", 1), ("draw", 0), ("loss", -1)):
        assert f"| {outcome} of the side to move | {signs.count(sign)} |" in card
        assert counts.outcomes[outcome] == signs.count(sign)
    for name in arrays:
        assert f"| `{name}` |" in card


def test_estimates_are_columns_of_their_own() -> None:
    plan = LabelPlan(40, (20, 21), layout=SQUARE)
    write(plan, L, estimate=True)
    write(plan)
    arrays = read_labels(L)
    assert {*arrays} - {*read_labels("whole.parquet")} == {*ESTIMATES}
    assert np.allclose(np.stack([arrays[name] for name in ESTIMATES[1:]]).sum(0), 1, atol=1e-6)
    assert np.corrcoef(arrays["estimate_margin"], arrays["margin"])[0, 1] > 0.8
    card = Path(f"{L}.md").read_text()
    assert "--estimate" in card
    assert "`estimate_win`" in card
    assert "estimate" not in Path("whole.parquet.md").read_text()


def test_several_layouts_are_taken_in_turn() -> None:
    """Each begins with red and with black, and the split is by layout."""
    boards = tuple(Layout.random(seed, True, True) for seed in range(5))
    plan = LabelPlan(300, (8, 9), layout=boards, games=4)
    starts = [plan.start(group) for group in range(10)]
    assert [start.layout for start in starts] == [*boards, *boards]
    assert [start.first for start in starts] == ["red"] * 5 + ["black"] * 5
    Path("layouts.txt").write_text("".join(f"{board}\n" for board in boards))
    words = ["--layout", "layouts.txt", "--count", "300", "--free", "8-9", "--games", "4"]
    good("labels", L, *words, "--split", "40-30-30")
    labels = read_labels(L)
    assert [*dict.fromkeys(labels["layout"])] == [*map(str, boards)]
    parts = set(zip(labels["layout"], labels["split"].tolist(), strict=True))
    assert len(parts) == 5
    assert len({part for _, part in parts}) > 1
    write(plan, split=(40, 30, 30))
    assert rows_of("whole.parquet").equals(rows_of(L))
    card = Path(f"{L}.md").read_text()
    assert "--layout layouts.txt --games 4" in card
    assert "| layouts | 5: those of `layouts.txt`, in turn |" in card
    assert "## layouts.txt\n\n```text\n" + Path("layouts.txt").read_text() + "```" in card


def test_games_without_more_positions_come_to_an_end() -> None:
    ran = good("labels", L, "--layout", "AAB/CCB", "--free", "2-6", "--json")
    start = Position(Layout.parse("AAB/CCB"))
    seen, waiting = set(), [start, Position(start.layout, "black")]
    while waiting:
        position = waiting.pop()
        if position not in seen and not position.is_over:
            seen.add(position)
            waiting += [position.play(field) for field in position.legal_fields]
    wanted = {position for position in seen if position.free_count >= 2}
    assert {position for position, _, _ in positions_in(L)} == wanted
    assert ran.answer["positions"] == len(wanted)
    said = f"the games had only {len(wanted)} different positions of 10,000"
    assert ran.err == f"kulami: warning: {said}\n"


# What is refused


def test_what_is_no_table_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError):
        read_labels("b.parquet")
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "pyarrow.parquet", None)
        for without in (lambda: write(LabelPlan(10)), lambda: read_labels("late.parquet")):
            with pytest.raises(KulamiError, match=r'pip install "kulami-solver\[parquet\]"$'):
                without()
    assert not os.listdir()
    Path("a.parquet").write_text("layout,values")
    with pytest.raises(KulamiError, match=r"a\.parquet: no Parquet file: "):
        read_labels("a.parquet")


# Work that was ended goes on


def kept() -> dict[str, bytes]:
    """The parts of unfinished work."""
    return {path.name: path.read_bytes() for path in Path().glob(f"{L}.building/part-*")}


def ended(plan: LabelPlan, at: int = 0) -> None:
    """Begin, and be interrupted."""

    def interrupted(done: int, total: int) -> None:
        assert total == plan.count
        if done > at:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(plan, L, workers=1, progress=interrupted)


@pytest.mark.parametrize(
    "how", ["workers", "threads", "interrupted", "damaged", "SIGINT", "SIGKILL"]
)
def test_the_file_is_the_same_whatever_befell_it(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By any workers, interrupted, killed again and again, with parts that are not whole."""
    killed = how.startswith("SIG")
    plan = LabelPlan(700, (14, 17)) if killed else LabelPlan(500, (8, 9), seed=8)
    write(plan)
    if killed:
        words = ["labels", L, "--count", "700", "--free", "14-17", "--workers", "2"]
        for _ in range(2 if how == "SIGKILL" else 1):
            before = kept()
            with process(*words) as running:
                until(lambda: len(kept()) > len(before), running)  # noqa: B023
                running.send_signal(getattr(signal, how))
                _, said = running.communicate(timeout=60)
            assert before.items() <= kept().items()
            assert not Path(L).exists()
        if how == "SIGINT":
            assert running.returncode == 130
            told = f"the work so far is in {L}.building; the same command goes on with it\n"
            assert said == f"kulami: interrupted: Ctrl-C; {told}"
        Path(f"{L}.building", f".part-0-1-{'0' * 16}.tmp").write_text("half a part")
        assert good(*words, "--json").answer["positions"] == 700
    elif how == "workers":
        write(plan, L, workers=2)
        (tmp_path / "one").mkdir()
        write(plan, f"one/{L}", workers=1)
        assert Path(L).read_bytes() == Path("one", L).read_bytes()
        shutil.rmtree("one")
    elif how == "threads":
        with ThreadPoolExecutor(2) as executor:
            write(plan, L, executor=executor)
            assert executor.submit(int).result() == 0  # left open
    else:
        ended(plan, 100)
        known = {
            group
            for name in kept()
            for group in range(*map(int, name.removeprefix("part-").split("-")))
        }
        assert known
        if how == "damaged":  # its checksum, its length or its rows
            draw = random.Random(2)
            for name, content in kept().items():
                damaged = bytearray(content)
                damaged[draw.randrange(len(damaged))] ^= 2
                Path(f"{L}.building", name).write_bytes(damaged[: draw.choice((None, -1))])
            known = set()
        asked: list[int] = []
        labelled = writing.label_groups

        def label(plan: LabelPlan, groups: range, *more: Any) -> Any:
            asked.extend(groups)
            return labelled(plan, groups, *more)

        monkeypatch.setattr(writing, "label_groups", label)
        write(plan, L)
        assert asked
        assert not known & set(asked)  # nothing is solved twice
    assert rows_of(L).equals(rows_of("whole.parquet"))
    assert sorted(os.listdir()) == [L, f"{L}.md", "whole.parquet", "whole.parquet.md"]


def test_work_of_others_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """On another plan, or with a bot as it was: the process that plays has it as it is."""
    bot = (
        "class Player:\n    def choose(self, position):\n        return position.legal_fields[{}]\n"
    )
    monkeypatch.syspath_prepend(Path.cwd())
    monkeypatch.setenv("PYTHONPATH", f"{Path.cwd()}:{os.environ.get('PYTHONPATH', '')}")
    Path("mybot.py").write_text(bot.format(0))
    plan = LabelPlan(400, (8, 10), layout=SQUARE, bots=("mybot:Player",), plies=4, games=2)
    ended(plan)
    ended(plan)  # as it was, it is taken up
    Path("mybot.py").write_text(bot.format(-1))
    with pytest.raises(KulamiError, match=r"games of 'mybot:Player' as it was .*mybot.py has chan"):
        write(plan, L, workers=1)
    with pytest.raises(KulamiError, match="the work of another build is in the way"):
        write(replace(plan, free=(8, 11)), L, workers=1)
    assert write(plan, L, workers=1, force=True).counts.rows == 400
    with pytest.raises(KulamiError, match=r"labels\.parquet exists: name another file"):
        write(plan, L)


def test_parts_leave_out_what_is_done(tmp_path: Path) -> None:
    with BuildFolder(tmp_path / "l", {}) as folder:
        folder.open(False)
        parts = Parts(folder.path)
        for first, number in ((0, 2), (5, 1), (9, 3)):
            parts.add(first, [("AB", np.zeros(place, ROW)) for place in range(number)])
        again = Parts(folder.path)
        found = [again.missing(2) for _ in range(4)]
        assert found == [range(2, 4), range(4, 5), range(6, 8), range(8, 9)]
        assert again.missing(3) == range(12, 15)
        assert [(layout, len(rows)) for layout, rows in again.in_order()] == [("AB", 0), ("AB", 1)]
        (folder.path / "part-0-2").write_bytes(b"")
        assert 0 not in Parts(folder.path)
        with pytest.raises(DatabaseError, match=r"part-0-2 is damaged"):
            again.read(0)


def test_seen_is_a_set_in_which_other_barred_panels_are_other_positions() -> None:
    """The same marbles, the same newest one, but another one before it."""
    start = Position(Layout.parse("ABCDEF"))
    both = [start.play_all(moves) for moves in ("a1 b1 c1 d1 e1", "a1 d1 c1 b1 e1")]
    rows = np.array([row_of(0, position, 0, {}) for position in (*both, both[0])], ROW)
    assert rows["red"][0] == rows["red"][1]
    assert rows["last"][0] == rows["last"][1]
    assert rows[Seen().new(keys_of("ABCDEF", rows))]["before"].tolist() == [3, 1]
    rng = np.random.default_rng(3)
    seen, model = Seen(), set()
    for _ in range(200):
        keys = rng.integers(0, 3000, rng.integers(0, 60)).astype(np.uint64)
        wanted = []
        for key in keys.tolist():
            wanted.append(key not in model)
            model.add(key)
        assert seen.new(keys).tolist() == wanted
        assert len(seen) == len(model)


@pytest.mark.nightly
def test_labels_of_a_cluster() -> None:
    """The same rows as those of processes here."""
    pytest.importorskip("distributed")
    from cluster_processes import cluster_of

    words = ["--count", "600", "--free", "13-16", "--seed", "4"]
    good("labels", "here.parquet", *words)
    Path("cluster").mkdir()
    with cluster_of(Path("cluster").absolute(), 2) as processes:
        ran = good("labels", "there.parquet", *words, "--workers", processes.address)
        more = ["--count", "20", "--bot", "greedy", "--games", "2", "--layout", "square"]
        good("labels", "bots.parquet", *more, "--workers", processes.address)
    assert rows_of("there.parquet").equals(rows_of("here.parquet"))
    assert len(positions_in("bots.parquet")) == 20
    assert "error" not in ran.err


# As a learner takes them


def test_planes_and_parts_are_those_of_the_positions() -> None:
    write(LabelPlan(400, (8, 14), games=2), L, split=(60, 20, 20))
    labels = read_labels(L)
    layouts = [Layout.parse(text) for text in labels["layout"]]
    size = max(layout.height for layout in layouts), max(layout.width for layout in layouts)
    expected = [
        Planes(layout, *size).of(arranged(labels, row), int(labels["turn"][row]))
        for row, layout in enumerate(layouts)
    ]
    found = label_planes(labels)
    assert (found == np.array(expected)).all()
    for rows in (slice(5, 90, 3), [7, 2], labels["free"] > 11):
        assert (label_planes(labels, rows) == found[rows]).all()
    # No layout is in two parts, nor are its images.
    split = labels["split"].tolist()
    parts = {(str(layout.canonical()), part) for layout, part in zip(layouts, split, strict=True)}
    assert len({layout for layout, _ in parts}) == len(parts) > 10
    assert {0, 1, 2} == set(split)
    assert splits(labels["layout"], shares=(60, 20, 20)).tolist() == split
    assert splits(labels["layout"], shares=(60, 20, 20), seed=1).tolist() != split
    layout = Layout.random(4)
    images = [layout, layout.mirrored(), layout.rotated(), layout.mirrored().rotated()]
    assert len({str(image) for image in images}) == 4
    for seed in range(20):
        assert len(set(splits(images, seed=seed).tolist())) == 1


def test_parts_have_about_their_shares_and_stay_when_a_file_grows() -> None:
    games = np.arange(20_000) // 4
    parts = splits(["AAB/CCB"] * 20_000, games, (70, 20, 10))
    assert np.bincount(parts) / 20_000 == pytest.approx([0.7, 0.2, 0.1], abs=0.02)
    assert (splits(["AAB/CCB"] * 50, games[:50], (7, 2, 1)) == parts[:50]).all()
    assert not (splits(["AAB/CCB"] * 9, range(9), (0, 1, 0)) - 1).any()
    words = ["labels", L, "--count", "200", "--free", "8-12", "--layout", "square"]
    told = good(*words, "--split", "50-25-25", "--json").answer
    columns = read_labels(L)
    numbers = np.bincount(columns["split"], minlength=3).tolist()
    assert told["split"] == dict(zip(("train", "validation", "test"), numbers, strict=True))
    for game in set(columns["game"].tolist()):
        assert len(set(columns["split"][columns["game"] == game].tolist())) == 1
    card = Path(f"{L}.md").read_text()
    assert f"| train | {numbers[0]} |" in card
    assert "--split 50-25-25`" in card
    assert "@misc{kulami_labels" in card
    assert "expected shares of three parts" in kulami(*words, "--split", "0-0-0").err
