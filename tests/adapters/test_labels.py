"""Labelled positions: exact, each once, the same after an interruption as without one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import until

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
from kulami_solver.adapters.labels import LabelPlan, write_labels, writing
from kulami_solver.adapters.labels.table import ESTIMATES, ROW, Seen, distinct, row_of
from kulami_solver.adapters.labels.writing import Groups
from kulami_solver.cli import main
from kulami_solver.kulami.solve.solver import Solver

SQUARE = Layout.square()


def positions_in(
    file: Any, marbles: int = 28, short_end: bool = False
) -> list[tuple[Position, int, dict[str, int]]]:
    """What a .npz file says: positions, their margins, and their fields' values."""
    file = dict(file)  # each column is read once
    found = []
    layouts = [Layout.parse(str(text)) for text in file["layouts"]]
    for i in range(len(file["margin"])):
        layout = layouts[file["layout"][i]]
        lasts = [layout.fields[file[name][i]] for name in ("last", "before") if file[name][i] >= 0]
        position = Position.arranged(
            layout,
            int(file["red"][i]),
            int(file["black"][i]),
            ("red", "black")[file["turn"][i]],
            lasts,
            marbles,
            short_end,
        )
        assert int(file["legal"][i]) == position.legal_mask
        assert int(file["free"][i]) == position.free_count
        assert int(file["supply"][i]) == position.supply
        values = file["values"][i]
        assert (values[len(layout) :] == NO_VALUE).all()
        named = {layout.fields[f]: int(values[f]) for f in np.flatnonzero(values != NO_VALUE)}
        found.append((position, int(file["margin"][i]), named))
    return found


@pytest.mark.parametrize(
    "plan",
    [
        LabelPlan(60, (6, 16)),
        LabelPlan(40, (8, 12), Scoring.LEVEL2, seed=3),
        LabelPlan(40, (14, 40), Scoring.CHAINS, marbles=13, short_end=True),
        LabelPlan(30, (9, 13), layout=Layout.parse("ABBCD/ABBCD/ABBEE/FFFEE"), games=3),
    ],
)
def test_labels_are_what_solve_says(tmp_path: Path, plan: LabelPlan) -> None:
    written = write_labels(tmp_path / "labels.npz", plan, threads=2)
    assert written.counts.rows == plan.count
    listed = positions_in(np.load(tmp_path / "labels.npz"), plan.marbles, plan.short_end)
    assert len({position for position, _, _ in listed}) == len(listed) == plan.count
    for position, margin, values in listed:
        solution = solve(position, plan.scoring, every_move=True)
        assert margin == solution.margin
        assert values == {move.field: move.margin for move in solution.moves}
        assert plan.free[0] <= position.free_count <= plan.free[1]


def test_the_file_is_the_same_for_any_workers(tmp_path: Path) -> None:
    plan = LabelPlan(400, (8, 10), seed=2)
    names = [tmp_path / f"{name}.npz" for name in ("one", "threads", "processes", "executor")]
    write_labels(names[0], plan, threads=1)
    write_labels(names[1], plan, threads=4)
    write_labels(names[2], plan, workers=2)
    with ThreadPoolExecutor(2) as executor:
        write_labels(names[3], plan, executor=executor)
        assert executor.submit(int).result() == 0  # left open
    assert len({name.read_bytes() for name in names}) == 1
    assert sorted(os.listdir(tmp_path)) == sorted(
        f"{name.name}{end}" for name in names for end in ("", ".md")
    )


SMALL = Layout.parse("AABB/AACC/DDCC/DDEE")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """All positions of a board of 4x4 fields."""
    path = tmp_path_factory.mktemp("labels") / "small.kdb"
    build(path, Position(SMALL))
    with open_database(path) as opened:
        yield opened


def test_a_database_gives_the_same_labels(tmp_path: Path, database: Database) -> None:
    plan = LabelPlan(600, (2, 14), layout=SMALL, seed=4)
    names = [tmp_path / f"{name}.npz" for name in ("solved", "threads", "processes")]
    write_labels(names[0], plan)
    write_labels(names[1], plan, database=database, threads=2)
    write_labels(names[2], plan, database=database, workers=2)
    assert len({name.read_bytes() for name in names}) == 1
    card = (tmp_path / "threads.npz.md").read_text()
    assert f"--database {database.path}`" in card
    assert "proved in a database or by search" in card


def test_what_a_database_holds_is_not_searched(tmp_path: Path, database: Database) -> None:
    """One of what follows a single first field does not hold everything: the rest is solved."""
    nodes = []
    for oracle in (None, database.oracle(database.root, "0")):
        solver = Solver(database.root, Scoring.LEVEL0, 1 << 20, oracle=oracle)
        assert solver.every_margin(database.root)[0] == database.value
        nodes.append(solver.nodes)
    assert nodes[1] < nodes[0] / 100
    corner = tmp_path / "a1.kdb"
    build(corner, Position(SMALL).play("a1"))
    plan = LabelPlan(300, (2, 14), layout=SMALL, seed=4)
    write_labels(tmp_path / "solved.npz", plan)
    with open_database(corner) as opened:
        write_labels(tmp_path / "some.npz", plan, database=opened)
        games = np.load(tmp_path / "some.npz")
        held = [position in opened for position, _, _ in positions_in(games)]
    assert 0 < sum(held) < len(held)
    assert (tmp_path / "some.npz").read_bytes() == (tmp_path / "solved.npz").read_bytes()


def test_the_command_takes_a_database(
    tmp_path: Path, database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its board, too, where no layout is named."""
    words = ["--count", "200", "--free", "4-12"]
    solved, looked_up = tmp_path / "solved.npz", tmp_path / "looked_up.npz"
    assert main(["labels", str(solved), "--layout", str(SMALL), *words]) == 0
    assert main(["labels", str(looked_up), "--database", database.path, *words]) == 0
    assert looked_up.read_bytes() == solved.read_bytes()
    capsys.readouterr()
    for more, said in (
        (["--layout", "square"], f"answers for --layout {SMALL} --marbles 28 without --short-end"),
        (["--marbles", "4"], f"answers for --layout {SMALL} --marbles 28 without --short-end"),
        (["--scoring", "2"], "counts by scoring 0, and 2 is asked for; give --scoring 0"),
        (["--database", "nowhere.kdb"], "nowhere.kdb"),
    ):
        command = ["labels", str(tmp_path / "x.npz"), "--database", database.path, *words, *more]
        assert main(command) == 2
        errors = capsys.readouterr().err
        assert said in errors
        assert errors.count("\n") == 1
    tables = [f"{name}.npz{end}" for name in ("solved", "looked_up") for end in ("", ".md")]
    assert sorted(os.listdir(tmp_path)) == sorted(tables)


def test_what_is_no_database_for_a_plan_is_refused(tmp_path: Path, database: Database) -> None:
    path = tmp_path / "labels.npz"
    with pytest.raises(DatabaseError, match="answers for --layout"):
        write_labels(path, LabelPlan(10), database=database)
    with pytest.raises(DatabaseError, match="give one that open_database has opened"):
        write_labels(path, LabelPlan(10), database=database.path)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_another_seed_has_other_positions(tmp_path: Path) -> None:
    found = []
    for seed in (1, 2):
        path = tmp_path / f"{seed}.npz"
        write_labels(path, LabelPlan(50, (8, 10), layout=SQUARE, seed=seed))
        found.append({position for position, _, _ in positions_in(np.load(path))})
    assert not found[0] & found[1]


def test_parquet_says_the_same_as_npz(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    plan = LabelPlan(300, (8, 12))
    npz, table_path = tmp_path / "labels.npz", tmp_path / "labels.parquet"
    write_labels(npz, plan, kfn=True)
    write_labels(table_path, plan, kfn=True)
    arrays, table = np.load(npz), parquet.read_table(table_path)
    for name in ("red", "black", "legal", "turn", "last", "before", "supply", "free", "margin"):
        assert table[name].to_pylist() == arrays[name].tolist(), name
        assert str(table.schema.field(name).type) == str(arrays[name].dtype), name
    assert table["layout"].to_pylist() == arrays["layouts"][arrays["layout"]].tolist()
    values = [[NO_VALUE if v is None else v for v in row] for row in table["values"].to_pylist()]
    assert values == arrays["values"].tolist()
    lines = [position.kfn() for position, _, _ in positions_in(arrays)]
    assert table["kfn"].to_pylist() == arrays["kfn"].tolist() == lines
    about = json.loads(table.schema.metadata[b"kulami.labels"])
    assert about == json.loads(str(arrays["about"]))
    assert about["free"] == [8, 12]


def rows_of_shards(folder: Path, part: str) -> list[dict[str, Any]]:
    parquet = pytest.importorskip("pyarrow.parquet")
    return [
        row
        for path in sorted((folder / "data").glob(f"{part}-*.parquet"))
        for row in parquet.read_table(path).to_pylist()
    ]


def test_a_folder_has_the_rows_by_parts_in_files_of_so_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    plan = LabelPlan(2000, (10, 12), games=4)
    whole, folder = tmp_path / "labels.parquet", tmp_path / "labels"
    write_labels(whole, plan, split=(60, 20, 20))
    monkeypatch.setattr("kulami_solver.adapters.labels.parquet.SHARD", 300)
    written = write_labels(folder, plan, split=(60, 20, 20))
    rows = parquet.read_table(whole).to_pylist()
    for number, part in enumerate(("train", "validation", "test")):
        chosen = [row for row in rows if row["split"] == number]
        assert rows_of_shards(folder, part) == [
            {name: value for name, value in row.items() if name != "split"} for row in chosen
        ]
        files = [*(folder / "data").glob(f"{part}-*.parquet")]
        assert len(files) == -(-len(chosen) // 300)
    assert written.card == folder / "README.md"
    _, head, text = written.card.read_text().split("---\n", 2)
    for part, count in written.counts.split.items():
        assert f"path: data/{part}-?????.parquet" in head  # and not train-00000-of-00001
        assert f"- name: {part}\n    num_examples: {count}\n" in head
    assert "| `data/test-00000.parquet` |" in text
    assert not (tmp_path / "labels.building").exists()
    datasets = pytest.importorskip("datasets", reason="pip install datasets: loaded by one line")
    loaded = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    assert {part: len(found) for part, found in loaded.items()} == written.counts.split


@pytest.mark.parametrize("name", ["-", ".npz", ".parquet", "late.csv"])
def test_names_that_are_none_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(KulamiError, match=r"name a file that ends in \.parquet or \.npz"):
        write_labels(tmp_path / name, LabelPlan(10, (9, 12), layout=SQUARE))
    assert not [*tmp_path.iterdir()]


def test_a_link_whose_ending_is_another_is_refused(tmp_path: Path) -> None:
    (tmp_path / "late.npz").symlink_to(tmp_path / "late")
    with pytest.raises(DatabaseError, match=r"a link to .*late, whose ending is another"):
        write_labels(tmp_path / "late.npz", LabelPlan(10, (9, 12), layout=SQUARE))
    assert [path.name for path in tmp_path.iterdir()] == ["late.npz"]


@pytest.mark.parametrize("name", ["README.md", "data/train-00000.parquet"])
def test_strangers_files_are_not_replaced_even_if_asked_for(name: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    mine = tmp_path / name
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("# My project", "ascii")
    with pytest.raises(DatabaseError, match=f"{name} is there, and not by `kulami labels`"):
        write_labels(tmp_path, LabelPlan(10, (9, 12), layout=SQUARE), force=True)
    assert mine.read_text("ascii") == "# My project"


def test_an_empty_folder_is_filled_and_its_card_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "late").mkdir()
    monkeypatch.chdir(tmp_path / "late")
    written = write_labels(".", LabelPlan(10, (9, 12), layout=SQUARE), license="CC-BY-4.0")
    text = written.card.read_text("utf-8")
    assert 'pretty_name: "Labelled Kulami positions: late"' in text
    assert 'license: "cc-by-4.0"\n' in text
    assert "kulami labels late --count 10 --free 9-12 --layout" in text
    assert "--license CC-BY-4.0" in text


def test_a_folder_is_replaced_if_asked_for_and_strangers_files_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    folder = tmp_path / "labels"
    monkeypatch.setattr("kulami_solver.adapters.labels.parquet.SHARD", 100)
    plan = LabelPlan(250, (9, 12), layout=SQUARE)
    write_labels(folder, plan)
    (folder / "data" / "mine.parquet").write_bytes(b"mine")
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(KulamiError, match="exists: name another file"):
        write_labels(folder, plan)
    write_labels(folder, LabelPlan(80, (9, 12), layout=SQUARE), force=True)
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*.*")} == {
        "README.md",
        "notes.txt",
        "data/mine.parquet",
        "data/train-00000.parquet",
    }
    assert len(rows_of_shards(folder, "train")) == 80
    for name, match in (("file", "a file is in the way"), ("none/labels", "make it first")):
        (tmp_path / "file").touch()
        with pytest.raises(DatabaseError, match=match):
            write_labels(tmp_path / name, plan)


def test_estimates_are_columns_of_their_own(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    plan = LabelPlan(40, (20, 21), layout=SQUARE)
    npz, table_path, plain = (tmp_path / name for name in ("l.npz", "l.parquet", "plain.npz"))
    write_labels(npz, plan, estimate=True)
    write_labels(table_path, plan, estimate=True)
    write_labels(plain, plan)
    arrays, table = np.load(npz), parquet.read_table(table_path)
    for name in ESTIMATES:
        assert table[name].to_pylist() == arrays[name].tolist()
        assert name not in np.load(plain)
    chances = np.stack([arrays[name] for name in ESTIMATES[1:]])
    assert np.allclose(chances.sum(0), 1, atol=1e-6)
    assert np.corrcoef(arrays["estimate_margin"], arrays["margin"])[0, 1] > 0.8
    card = (tmp_path / "l.npz.md").read_text()
    assert "--estimate" in card
    assert "`estimate_win`" in card
    assert "estimate" not in (tmp_path / "plain.npz.md").read_text()


def test_the_card_says_what_there_is(tmp_path: Path) -> None:
    path = tmp_path / "labels.npz"
    plan = LabelPlan(200, (9, 10), Scoring.LEVEL1, SQUARE, seed=5)
    counts = write_labels(path, plan, license="CC0-1.0").counts
    card = (tmp_path / "labels.npz.md").read_text()
    command = "kulami labels labels.npz --count 200 --free 9-10 --scoring 1 "
    assert f"`{command}--layout {SQUARE} --seed 5 --license CC0-1.0`" in card
    assert "| positions | 200, each once" in card
    assert "| licence | CC0-1.0 |" in card
    file = np.load(path)
    for free in (9, 10):
        assert f"| {free} | {int((file['free'] == free).sum())} |" in card
    for outcome, number in (
        ("win", int((file["margin"] > 0).sum())),
        ("draw", int((file["margin"] == 0).sum())),
        ("loss", int((file["margin"] < 0).sum())),
    ):
        assert f"| {outcome} of the side to move | {number} |" in card
        assert counts.outcomes[outcome] == number
    for name in file.files:
        assert f"| `{name}` |" in card


def test_several_layouts_are_taken_in_turn(tmp_path: Path) -> None:
    """Each begins with red and with black, and the split is by layout."""
    boards = tuple(Layout.random(seed, True, True) for seed in range(5))
    plan = LabelPlan(300, (8, 9), layout=boards, games=4)
    starts = [plan.start(group) for group in range(10)]
    assert [start.layout for start in starts] == [*boards, *boards]
    assert [start.first for start in starts] == ["red"] * 5 + ["black"] * 5
    listed = tmp_path / "layouts.txt"
    listed.write_text("".join(f"{board}\n" for board in boards))
    path = tmp_path / "labels.npz"
    words = ["labels", str(path), "--layout", str(listed), "--count", "300", "--free", "8-9"]
    assert main([*words, "--games", "4", "--split", "40-30-30"]) == 0
    labels = np.load(path)
    assert [str(text) for text in labels["layouts"]] == [*map(str, boards)]
    parts = {
        (int(at), int(part)) for at, part in zip(labels["layout"], labels["split"], strict=True)
    }
    assert len(parts) == 5
    assert len({part for _, part in parts}) > 1
    write_labels(tmp_path / "again.npz", plan, split=(40, 30, 30))
    assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()
    card = (tmp_path / "labels.npz.md").read_text()
    assert "--layout layouts.txt --games 4" in card
    assert "| layouts | 5: those of `layouts.txt`, in turn |" in card
    assert "## layouts.txt\n\n```text\n" + listed.read_text() + "```" in card
    with pytest.raises(KulamiError, match="only 6 fields, fewer than 10"):
        write_labels(path, LabelPlan(5, layout=(*boards, Layout.parse("AAB/CCB"))))


def test_games_of_bots(tmp_path: Path) -> None:
    path = tmp_path / "labels.npz"
    words = "--count 40 --free 8-12 --bot greedy --bot random --layout square --games 4 --workers 1"
    assert main(["labels", str(path), *words.split()]) == 0
    listed = positions_in(np.load(path))
    for position, margin, _ in listed[::8]:
        assert margin == solve(position).margin
    assert "`greedy` and `random` against each other" in (tmp_path / "labels.npz.md").read_text()


def started(words: Sequence[str], folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "kulami_solver", "labels", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("how", ["SIGINT", "SIGKILL"])
def test_what_was_ended_goes_on_and_has_each_position_once(tmp_path: Path, how: str) -> None:
    words = ["labels.npz", "--count", "1200", "--free", "14-18", "--threads", "2"]
    for least in (1, 600) if how == "SIGKILL" else (1,):
        running = started(words, tmp_path)
        groups = tmp_path / "labels.npz.building" / "groups"
        until(lambda: groups.exists() and groups.stat().st_size > least * 100, running)  # noqa: B023
        running.send_signal(getattr(signal, how))
        _, said = running.communicate(timeout=60)
        if how == "SIGINT":
            assert running.returncode == 130
            assert said == (
                "kulami: interrupted: Ctrl-C; the work so far is in labels.npz.building; "
                "the same command goes on with it\n"
            )
        kept = groups.stat().st_size
        assert kept > least * 100
        assert not (tmp_path / "labels.npz").exists()
    with open(groups, "ab") as file:
        file.write(b"kulg\x01\0\0\0\xff\xff\0\0 half a record")
    running = started([*words, "--json"], tmp_path)
    said, wrong = running.communicate(timeout=120)
    assert running.returncode == 0, wrong
    assert json.loads(said)["positions"] == 1200
    assert sorted(os.listdir(tmp_path)) == ["labels.npz", "labels.npz.md"]
    file = np.load(tmp_path / "labels.npz")
    listed = positions_in(file)
    assert len({position for position, _, _ in listed}) == 1200
    for position, margin, _ in listed[::120]:
        assert margin == solve(position).margin


def test_interrupted_work_is_taken_up_and_nothing_is_solved_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = LabelPlan(900, (8, 10), seed=8)
    whole = tmp_path / "whole.npz"
    write_labels(whole, plan)

    def interrupted(done: int, total: int) -> None:
        assert total == 900
        if done > 100:
            raise KeyboardInterrupt

    path = tmp_path / "labels.npz"
    with pytest.raises(KeyboardInterrupt):
        write_labels(path, plan, threads=1, progress=interrupted)
    with Groups(path, plan.to_json(), False) as groups:
        known = {group for group in range(10_000) if group in groups}
    assert known
    asked: list[int] = []
    labelled = writing.label_groups

    def label(plan: LabelPlan, groups: list[int], *more: Any) -> Any:
        asked.extend(groups)
        return labelled(plan, groups, *more)

    monkeypatch.setattr(writing, "label_groups", label)
    write_labels(path, plan, threads=1)
    assert not known & set(asked)
    assert path.read_bytes() == whole.read_bytes()


def test_work_on_another_plan_is_left_alone(tmp_path: Path) -> None:
    def ended(done: int, total: int) -> None:
        if done:  # there is work to leave
            raise KeyboardInterrupt

    path = tmp_path / "labels.npz"
    with pytest.raises(KeyboardInterrupt):
        write_labels(path, LabelPlan(100, (8, 9)), threads=1, progress=ended)
    with pytest.raises(KulamiError, match="the work of another build is in the way"):
        write_labels(path, LabelPlan(100, (8, 10)))
    assert write_labels(path, LabelPlan(50, (8, 9))).counts.rows == 50
    with pytest.raises(KulamiError, match=r"labels\.npz exists: name another file"):
        write_labels(path, LabelPlan(50, (8, 9)))
    assert write_labels(path, LabelPlan(70, (8, 10)), force=True).counts.rows == 70


BOT = """
class Player:
    def choose(self, position):
        return position.legal_fields[{number}]
"""


def test_games_of_a_bot_that_has_changed_are_not_taken_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process that plays has the bot as it was: the change is made in between."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    (tmp_path / "mybot.py").write_text(BOT.format(number=0))
    plan = LabelPlan(400, (8, 10), layout=SQUARE, bots=("mybot:Player",), plies=4, games=2)
    path = tmp_path / "labels.npz"

    def ended(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_labels(path, plan, workers=1, progress=ended)
    with pytest.raises(KeyboardInterrupt):  # as it was, it is taken up
        write_labels(path, plan, workers=1, progress=ended)
    (tmp_path / "mybot.py").write_text(BOT.format(number=-1))
    with pytest.raises(KulamiError, match=r"games of 'mybot:Player' as it was .*mybot.py has chan"):
        write_labels(path, plan, workers=1)
    with pytest.raises(KulamiError, match="the work of another build is in the way"):
        write_labels(path, LabelPlan(400, (8, 11)), workers=1)
    assert write_labels(path, plan, workers=1, force=True).counts.rows == 400


def test_a_bit_of_a_record_that_is_wrong_gives_the_same_file(tmp_path: Path) -> None:
    """Whatever it says: which group it is, how long it is, or what is in it."""
    plan = LabelPlan(300, (6, 8), seed=3, layout=Layout.parse("AABB/AABB/CCDD/EEDD"), games=1)
    whole = tmp_path / "whole.npz"
    write_labels(whole, plan)

    def ended(done: int, total: int) -> None:
        if done > 60:
            raise KeyboardInterrupt

    path = tmp_path / "labels.npz"
    for byte in (4, 5, 8, 12, 20):
        with pytest.raises(KeyboardInterrupt):
            write_labels(path, plan, threads=1, progress=ended)
        groups = tmp_path / "labels.npz.building" / "groups"
        content = bytearray(groups.read_bytes())
        content[byte] ^= 2
        groups.write_bytes(content)
        write_labels(path, plan, threads=1)
        assert path.read_bytes() == whole.read_bytes()
        path.unlink()


def test_games_without_more_positions_come_to_an_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "labels.npz"
    assert main(["labels", str(path), "--layout", "AAB/CCB", "--free", "2-6", "--json"]) == 0
    out, said = capsys.readouterr()
    start = Position(Layout.parse("AAB/CCB"))
    seen, waiting = set(), [start, Position(start.layout, "black")]
    while waiting:
        position = waiting.pop()
        if position not in seen and not position.is_over:
            seen.add(position)
            waiting += [position.play(field) for field in position.legal_fields]
    wanted = {position for position in seen if position.free_count >= 2}
    assert {position for position, _, _ in positions_in(np.load(path))} == wanted
    assert json.loads(out)["positions"] == len(wanted)
    assert said == (
        f"kulami: warning: the games had only {len(wanted)} different positions of 10,000\n"
    )


def test_numbers_of_free_fields_that_never_come_up(tmp_path: Path) -> None:
    plan = LabelPlan(5, (1, 1), layout=Layout.parse("AAB/CCB"))
    with pytest.raises(KulamiError, match="no position with 1 to 1 free"):
        write_labels(tmp_path / "x.npz", plan)
    assert not list(tmp_path.iterdir())  # no work that would be in the way of the next


@pytest.mark.parametrize(
    "wrong",
    [
        {"count": 0},
        {"count": 1.0},
        {"free": (5, 4)},
        {"free": 5},
        {"free": (10, 41)},
        {"scoring": "0"},
        {"layout": "square"},
        {"layout": ()},
        {"layout": (SQUARE, "square")},
        {"bots": "mcts"},
        {"plies": -1},
        {"marbles": 0},
        {"seed": -1},
        {"games": 0},
    ],
)
def test_what_is_no_plan(wrong: dict[str, Any]) -> None:
    with pytest.raises(KulamiError) as refusal:
        LabelPlan(**{"count": 5, **wrong})
    assert next(iter(wrong)) in str(refusal.value)


def test_positions_that_bar_another_panel_are_two() -> None:
    """The same marbles, the same newest one, but another one before it."""
    start = Position(Layout.parse("ABCDEF"))
    both = [start.play_all(moves) for moves in ("a1 b1 c1 d1 e1", "a1 d1 c1 b1 e1")]
    rows = np.array([row_of(0, position, 0, {}) for position in (*both, both[0])], ROW)
    assert rows["red"][0] == rows["red"][1]
    assert rows["last"][0] == rows["last"][1]
    ((_, kept),) = distinct([("ABCDEF", rows)], 10)
    assert kept["before"].tolist() == [3, 1]


def test_seen_is_a_set() -> None:
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
def test_labels_of_a_cluster(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same file as that of threads here."""
    pytest.importorskip("distributed")
    from cluster_processes import cluster_of

    words = ["--count", "600", "--free", "13-16", "--seed", "4"]
    here = tmp_path / "here.npz"
    assert main(["labels", str(here), *words]) == 0
    there = tmp_path / "there.npz"
    bots = tmp_path / "bots.npz"
    (tmp_path / "cluster").mkdir()
    with cluster_of(tmp_path / "cluster", 2) as processes:
        assert main(["labels", str(there), *words, "--workers", processes.address]) == 0
        more = ["--count", "20", "--bot", "greedy", "--games", "2", "--layout", "square"]
        assert main(["labels", str(bots), *more, "--workers", processes.address]) == 0
    assert there.read_bytes() == here.read_bytes()
    assert len(positions_in(np.load(bots))) == 20
    assert "error" not in capsys.readouterr().err
