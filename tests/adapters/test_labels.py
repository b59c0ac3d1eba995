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
from kulami_solver.adapters.labels import LabelPlan, read_labels, write_labels, writing
from kulami_solver.adapters.labels.table import ESTIMATES, ROW, Seen, keys_of, row_of
from kulami_solver.adapters.labels.writing import Parts
from kulami_solver.cli import main
from kulami_solver.kulami.solve.solver import Solver
from kulami_solver.storage.build_folder import BuildFolder

parquet = pytest.importorskip("pyarrow.parquet", reason="pip install 'kulami_solver[parquet]'")

SQUARE = Layout.square()


def positions_in(
    path: Path, marbles: int = 28, short_end: bool = False
) -> list[tuple[Position, int, dict[str, int]]]:
    """What a file says: positions, their margins, and their fields' values."""
    file = read_labels(path)
    found = []
    layouts = {text: Layout.parse(text) for text in set(file["layout"])}
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
    written = write_labels(tmp_path / "labels.parquet", plan, workers=2)
    assert written.counts.rows == plan.count
    listed = positions_in(tmp_path / "labels.parquet", plan.marbles, plan.short_end)
    assert len({position for position, _, _ in listed}) == len(listed) == plan.count
    for position, margin, values in listed:
        solution = solve(position, plan.scoring, every_move=True)
        assert margin == solution.margin
        assert values == {move.field: move.margin for move in solution.moves}
        assert plan.free[0] <= position.free_count <= plan.free[1]


def test_the_file_is_the_same_for_any_workers(tmp_path: Path) -> None:
    plan = LabelPlan(400, (8, 10), seed=2)
    names = [tmp_path / name / "l.parquet" for name in ("one", "two", "threads")]
    for name in names:
        name.parent.mkdir()
    write_labels(names[0], plan, workers=1)
    write_labels(names[1], plan, workers=2)
    with ThreadPoolExecutor(2) as executor:
        write_labels(names[2], plan, executor=executor)
        assert executor.submit(int).result() == 0  # left open
    assert len({name.read_bytes() for name in names}) == 1
    for name in names:
        assert sorted(os.listdir(name.parent)) == ["l.parquet", "l.parquet.md"]


def rows_of(path: Path) -> Any:
    """The table; what is in its metadata names the file and what it was made of."""
    return parquet.read_table(path).replace_schema_metadata()


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
    solved, looked_up = tmp_path / "solved.parquet", tmp_path / "looked_up.parquet"
    write_labels(solved, plan)
    write_labels(looked_up, plan, database=database)
    assert rows_of(looked_up).equals(rows_of(solved))
    card = (tmp_path / "looked_up.parquet.md").read_text()
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
    solved, some = tmp_path / "solved.parquet", tmp_path / "some.parquet"
    write_labels(solved, plan)
    with open_database(corner) as opened:
        write_labels(some, plan, database=opened)
        held = [position in opened for position, _, _ in positions_in(some)]
    assert 0 < sum(held) < len(held)
    assert rows_of(some).equals(rows_of(solved))


def test_the_command_takes_a_database(
    tmp_path: Path, database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its board, too, where no layout is named."""
    words = ["--count", "200", "--free", "4-12"]
    solved, looked_up = tmp_path / "solved.parquet", tmp_path / "looked_up.parquet"
    assert main(["labels", str(solved), "--layout", str(SMALL), *words]) == 0
    assert main(["labels", str(looked_up), "--database", database.path, *words]) == 0
    assert rows_of(looked_up).equals(rows_of(solved))
    capsys.readouterr()
    for more, said in (
        (["--layout", "square"], f"answers for --layout {SMALL} --marbles 28 without --short-end"),
        (["--marbles", "4"], f"answers for --layout {SMALL} --marbles 28 without --short-end"),
        (["--scoring", "2"], "counts by scoring 0, and 2 is asked for; give --scoring 0"),
        (["--database", "nowhere.kdb"], "nowhere.kdb"),
    ):
        command = [
            "labels",
            str(tmp_path / "x.parquet"),
            "--database",
            database.path,
            *words,
            *more,
        ]
        assert main(command) == 2
        errors = capsys.readouterr().err
        assert said in errors
        assert errors.count("\n") == 1
    tables = [f"{name}.parquet{end}" for name in ("solved", "looked_up") for end in ("", ".md")]
    assert sorted(os.listdir(tmp_path)) == sorted(tables)


def test_what_is_no_database_for_a_plan_is_refused(tmp_path: Path, database: Database) -> None:
    path = tmp_path / "labels.parquet"
    with pytest.raises(DatabaseError, match="answers for --layout"):
        write_labels(path, LabelPlan(10), database=database)
    with pytest.raises(DatabaseError, match="give one that open_database has opened"):
        write_labels(path, LabelPlan(10), database=database.path)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_another_seed_has_other_positions(tmp_path: Path) -> None:
    found = []
    for seed in (1, 2):
        path = tmp_path / f"{seed}.parquet"
        write_labels(path, LabelPlan(50, (8, 10), layout=SQUARE, seed=seed))
        found.append({position for position, _, _ in positions_in(path)})
    assert not found[0] & found[1]


def test_the_file_has_categories_nulls_row_groups_and_metadata(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kulami_solver.adapters.labels.parquet._TOGETHER", 100)
    path = tmp_path / "labels.parquet"
    write_labels(path, LabelPlan(300, (8, 12)))
    file = parquet.ParquetFile(path)
    assert file.num_row_groups >= 2
    table, arrays = file.read(), read_labels(path)
    for name in set(ROW.names or ()) - {"values"}:
        assert table[name].to_pylist() == arrays[name].tolist(), name
        assert table.schema.field(name).type == str(arrays[name].dtype) == str(ROW[name]), name
    assert str(table.schema.field("layout").type).startswith("dictionary<values=string")
    assert table["layout"].to_pylist() == arrays["layout"].tolist()
    values = [[NO_VALUE if v is None else v for v in row] for row in table["values"].to_pylist()]
    assert values == arrays["values"].tolist()
    about = json.loads(table.schema.metadata[b"kulami.labels"])
    assert about["free"] == [8, 12]
    card = file.metadata.metadata[b"kulami.card"].decode()
    beside = (tmp_path / "labels.parquet.md").read_text()
    assert "SHA-256" not in card
    assert set(card.splitlines()) - set(beside.splitlines()) == {
        line for line in card.splitlines() if line.startswith("  note = ")
    }


@pytest.mark.parametrize("name", ["-", ".parquet", "late.npz", "late"])
def test_names_that_are_none_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(KulamiError, match=r"name a file that ends in \.parquet"):
        write_labels(tmp_path / name, LabelPlan(10, (9, 12), layout=SQUARE))
    assert not [*tmp_path.iterdir()]


def test_without_pyarrow_there_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    for ask in (lambda path: write_labels(path, LabelPlan(10)), read_labels):
        with pytest.raises(KulamiError, match=r"pip install 'kulami_solver\[parquet\]'$"):
            ask(tmp_path / "late.parquet")
    assert not [*tmp_path.iterdir()]


def test_what_is_no_file_of_labels(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_text("layout,values")
    with pytest.raises(KulamiError, match=r"a\.parquet: no Parquet file: "):
        read_labels(tmp_path / "a.parquet")
    with pytest.raises(FileNotFoundError):
        read_labels(tmp_path / "b.parquet")


def test_estimates_are_columns_of_their_own(tmp_path: Path) -> None:
    plan = LabelPlan(40, (20, 21), layout=SQUARE)
    path, plain = tmp_path / "l.parquet", tmp_path / "plain.parquet"
    write_labels(path, plan, estimate=True)
    write_labels(plain, plan)
    arrays = read_labels(path)
    assert {*arrays} - {*read_labels(plain)} == {*ESTIMATES}
    chances = np.stack([arrays[name] for name in ESTIMATES[1:]])
    assert np.allclose(chances.sum(0), 1, atol=1e-6)
    assert np.corrcoef(arrays["estimate_margin"], arrays["margin"])[0, 1] > 0.8
    card = (tmp_path / "l.parquet.md").read_text()
    assert "--estimate" in card
    assert "`estimate_win`" in card
    assert "estimate" not in (tmp_path / "plain.parquet.md").read_text()


def test_the_card_says_what_there_is(tmp_path: Path) -> None:
    path = tmp_path / "labels.parquet"
    plan = LabelPlan(200, (9, 10), Scoring.LEVEL1, SQUARE, seed=5)
    counts = write_labels(path, plan).counts
    card = (tmp_path / "labels.parquet.md").read_text()
    command = "kulami labels labels.parquet --count 200 --free 9-10 --scoring 1 "
    assert f"`{command}--layout {SQUARE} --seed 5`" in card
    assert "| positions | 200, each once" in card
    file = read_labels(path)
    for free in (9, 10):
        assert f"| {free} | {int((file['free'] == free).sum())} |" in card
    for outcome, number in (
        ("win", int((file["margin"] > 0).sum())),
        ("draw", int((file["margin"] == 0).sum())),
        ("loss", int((file["margin"] < 0).sum())),
    ):
        assert f"| {outcome} of the side to move | {number} |" in card
        assert counts.outcomes[outcome] == number
    for name in file:
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
    path = tmp_path / "labels.parquet"
    words = ["labels", str(path), "--layout", str(listed), "--count", "300", "--free", "8-9"]
    assert main([*words, "--games", "4", "--split", "40-30-30"]) == 0
    labels = read_labels(path)
    assert [*dict.fromkeys(labels["layout"])] == [*map(str, boards)]
    parts = {
        (text, int(part)) for text, part in zip(labels["layout"], labels["split"], strict=True)
    }
    assert len(parts) == 5
    assert len({part for _, part in parts}) > 1
    write_labels(tmp_path / "again.parquet", plan, split=(40, 30, 30))
    assert rows_of(tmp_path / "again.parquet").equals(rows_of(path))
    card = (tmp_path / "labels.parquet.md").read_text()
    assert "--layout layouts.txt --games 4" in card
    assert "| layouts | 5: those of `layouts.txt`, in turn |" in card
    assert "## layouts.txt\n\n```text\n" + listed.read_text() + "```" in card
    with pytest.raises(KulamiError, match="only 6 fields, fewer than 10"):
        write_labels(path, LabelPlan(5, layout=(*boards, Layout.parse("AAB/CCB"))))


def test_games_of_bots(tmp_path: Path) -> None:
    path = tmp_path / "labels.parquet"
    words = "--count 40 --free 8-12 --bot greedy --bot random --layout square --games 4 --workers 1"
    assert main(["labels", str(path), *words.split()]) == 0
    for position, margin, _ in positions_in(path)[::8]:
        assert margin == solve(position).margin
    card = (tmp_path / "labels.parquet.md").read_text()
    assert "`greedy` and `random` against each other" in card


def started(words: Sequence[str], folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "kulami_solver", "labels", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def kept_in(folder: Path) -> dict[str, bytes]:
    """The parts of unfinished work."""
    return {path.name: path.read_bytes() for path in folder.glob("labels.parquet.building/part-*")}


@pytest.mark.parametrize("how", ["SIGINT", "SIGKILL"])
def test_what_was_ended_goes_on_and_has_each_position_once(tmp_path: Path, how: str) -> None:
    words = ["labels.parquet", "--count", "700", "--free", "14-18", "--workers", "2"]
    least = 0
    kept: dict[str, bytes] = {}
    for _ in range(2 if how == "SIGKILL" else 1):
        running = started(words, tmp_path)
        until(lambda: len(kept_in(tmp_path)) > least, running)  # noqa: B023
        running.send_signal(getattr(signal, how))
        _, said = running.communicate(timeout=60)
        if how == "SIGINT":
            assert running.returncode == 130
            assert said == (
                "kulami: interrupted: Ctrl-C; the work so far is in labels.parquet.building; "
                "the same command goes on with it\n"
            )
        assert kept.items() <= kept_in(tmp_path).items()
        kept = kept_in(tmp_path)
        least = len(kept) + 1
        assert not (tmp_path / "labels.parquet").exists()
    (tmp_path / "labels.parquet.building" / f".part-0-1-{'0' * 16}.tmp").write_text("half a part")
    running = started([*words, "--json"], tmp_path)
    said, wrong = running.communicate(timeout=120)
    assert running.returncode == 0, wrong
    assert json.loads(said)["positions"] == 700
    assert sorted(os.listdir(tmp_path)) == ["labels.parquet", "labels.parquet.md"]
    whole = tmp_path / "whole.parquet"
    write_labels(whole, LabelPlan(700, (14, 18)))
    assert rows_of(tmp_path / "labels.parquet").equals(rows_of(whole))
    listed = positions_in(whole)
    assert len({position for position, _, _ in listed}) == 700
    for position, margin, _ in listed[::70]:
        assert margin == solve(position).margin


def test_interrupted_work_is_taken_up_and_nothing_is_solved_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = LabelPlan(900, (8, 10), seed=8)
    whole = tmp_path / "whole.parquet"
    write_labels(whole, plan)

    def interrupted(done: int, total: int) -> None:
        assert total == 900
        if done > 100:
            raise KeyboardInterrupt

    path = tmp_path / "labels.parquet"
    with pytest.raises(KeyboardInterrupt):
        write_labels(path, plan, workers=1, progress=interrupted)
    known = {
        group
        for name in kept_in(tmp_path)
        for group in range(*map(int, name.removeprefix("part-").split("-")))
    }
    assert known
    asked: list[int] = []
    labelled = writing.label_groups

    def label(plan: LabelPlan, groups: range, *more: Any) -> Any:
        asked.extend(groups)
        return labelled(plan, groups, *more)

    monkeypatch.setattr(writing, "label_groups", label)
    with ThreadPoolExecutor(1) as executor:
        write_labels(path, plan, executor=executor)
    assert asked
    assert not known & set(asked)
    assert rows_of(path).equals(rows_of(whole))


def test_work_on_another_plan_is_left_alone(tmp_path: Path) -> None:
    def ended(done: int, total: int) -> None:
        if done:  # there is work to leave
            raise KeyboardInterrupt

    path = tmp_path / "labels.parquet"
    with pytest.raises(KeyboardInterrupt):
        write_labels(path, LabelPlan(100, (8, 9)), workers=1, progress=ended)
    with pytest.raises(KulamiError, match="the work of another build is in the way"):
        write_labels(path, LabelPlan(100, (8, 10)))
    assert write_labels(path, LabelPlan(50, (8, 9))).counts.rows == 50
    with pytest.raises(KulamiError, match=r"labels\.parquet exists: name another file"):
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
    path = tmp_path / "labels.parquet"

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


def test_a_part_that_is_not_whole_is_begun_anew(tmp_path: Path) -> None:
    """Whatever is wrong in it: its checksum, its length or its rows."""
    plan = LabelPlan(300, (6, 8), seed=3, layout=Layout.parse("AABB/AABB/CCDD/EEDD"), games=1)
    whole = tmp_path / "whole.parquet"
    write_labels(whole, plan)

    def ended(done: int, total: int) -> None:
        if done > 60:
            raise KeyboardInterrupt

    path = tmp_path / "labels.parquet"
    with pytest.raises(KeyboardInterrupt):
        write_labels(path, plan, workers=1, progress=ended)
    kept = kept_in(tmp_path)
    assert len(kept) > 2
    for place, (name, content) in enumerate(kept.items()):
        damaged = bytearray(content)
        damaged[(5, 40, -1)[place % 3]] ^= 2
        (tmp_path / "labels.parquet.building" / name).write_bytes(damaged[: -place % 2 or None])
    write_labels(path, plan, workers=1)
    assert rows_of(path).equals(rows_of(whole))


def test_parts_leave_out_what_is_done(tmp_path: Path) -> None:
    with BuildFolder(tmp_path / "l", {}) as folder:
        folder.open(False)
        parts = Parts(folder)
        for first, number in ((0, 2), (5, 1), (9, 3)):
            parts.add(first, [("AB", np.zeros(place, ROW)) for place in range(number)])
        again = Parts(folder)
        assert [again.missing(2) for _ in range(4)] == [
            range(2, 4),
            range(4, 5),
            range(6, 8),
            range(8, 9),
        ]
        assert again.missing(3) == range(12, 15)
        assert [(layout, len(rows)) for layout, rows in again.in_order()] == [("AB", 0), ("AB", 1)]
        (folder.path / "part-0-2").write_bytes(b"")
        assert 0 not in Parts(folder)
        with pytest.raises(DatabaseError, match=r"part-0-2 is damaged"):
            again.read(0)


def test_games_without_more_positions_come_to_an_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "labels.parquet"
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
    assert {position for position, _, _ in positions_in(path)} == wanted
    assert json.loads(out)["positions"] == len(wanted)
    assert said == (
        f"kulami: warning: the games had only {len(wanted)} different positions of 10,000\n"
    )


def test_numbers_of_free_fields_that_never_come_up(tmp_path: Path) -> None:
    plan = LabelPlan(5, (1, 1), layout=Layout.parse("AAB/CCB"))
    with pytest.raises(KulamiError, match="no position with 1 to 1 free"):
        write_labels(tmp_path / "x.parquet", plan)
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
    new = Seen().new(keys_of("ABCDEF", rows))
    assert rows[new]["before"].tolist() == [3, 1]


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
    """The same rows as those of processes here."""
    pytest.importorskip("distributed")
    from cluster_processes import cluster_of

    words = ["--count", "600", "--free", "13-16", "--seed", "4"]
    here = tmp_path / "here.parquet"
    assert main(["labels", str(here), *words]) == 0
    there = tmp_path / "there.parquet"
    bots = tmp_path / "bots.parquet"
    (tmp_path / "cluster").mkdir()
    with cluster_of(tmp_path / "cluster", 2) as processes:
        assert main(["labels", str(there), *words, "--workers", processes.address]) == 0
        more = ["--count", "20", "--bot", "greedy", "--games", "2", "--layout", "square"]
        assert main(["labels", str(bots), *more, "--workers", processes.address]) == 0
    assert rows_of(there).equals(rows_of(here))
    assert len(positions_in(bots)) == 20
    assert "error" not in capsys.readouterr().err
