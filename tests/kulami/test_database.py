"""Solved databases: values against the reference, files that are whole or refused."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import hashlib
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import crafted
import numpy as np
import plain_reader
import pytest
import reference
from command_line import completed, good, kulami

import kulami_solver as ks
from kulami_solver.core import records
from kulami_solver.core.records import Codec
from kulami_solver.kulami.database import build_tasks, building, parts
from kulami_solver.kulami.database.building import build
from kulami_solver.kulami.database.layers import LayerRules
from kulami_solver.kulami.database.parts import Parts, Records
from kulami_solver.kulami.database.probe import ABSENT, Database, arrays_of
from kulami_solver.kulami.database.record_check import check_records
from kulami_solver.kulami.database.verification import verify
from kulami_solver.storage.container import write_database

BOARDS = [
    ("ABB/ABB/ACC/DCC", 28, False),
    ("AABC/AABC/DDEE", 3, False),
    ("AABB/CCDD/CCDD", 4, True),
    ("AAB/CCB/.DD", 28, False),
]
MEDIUM = "AABC/AABC/DDEE/FFEE"


@dataclasses.dataclass(frozen=True)
class Made:
    """A database and what the reference knows of the same positions."""

    path: Path
    root: ks.Position
    scoring: ks.Scoring
    rules: reference.Rules
    values: dict[reference.State, int]

    def position(self, state: reference.State) -> ks.Position:
        """A state as a position of the package."""
        kfn = reference.format_kfn(self.rules, state)
        return ks.Position.from_kfn(kfn, self.root.marbles, self.root.short_end)


@pytest.fixture(scope="module", params=[(b, s) for b in BOARDS for s in ks.Scoring], ids=str)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Every small board at every scoring, in shards so small that there are many."""
    (layout, marbles, short_end), scoring = request.param
    root = ks.Position(ks.Layout.parse(layout), marbles=marbles, short_end=short_end)
    path = tmp_path_factory.mktemp("databases") / "small.kdb"
    build(path, root, scoring, shard=40)
    rules, start = reference.start(layout, "r", marbles, short_end)
    values: dict[reference.State, int] = {}
    reference.minimax(rules, start, scoring.value, values)
    return Made(path, root, scoring, rules, values)


@pytest.fixture(scope="module")
def medium(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of some ten thousand positions at level 0."""
    path = tmp_path_factory.mktemp("databases") / "medium.kdb"
    build(path, ks.Position(ks.Layout.parse(MEDIUM)), threads=2)
    return path


def digest(path: Path) -> str:
    """What tells two files apart."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


class TestValues:
    def test_every_position_has_the_margin_of_the_reference(self, made: Made) -> None:
        """One by one, in a batch, and by a reader written from the description."""
        positions = [made.position(state) for state in made.values]
        with Database(made.path) as database, plain_reader.open_database(made.path) as plain:
            for state, position in zip(made.values, positions, strict=True):
                text = reference.format_kfn(made.rules, state)
                assert database.get(position) == plain.get(text) == made.values[state]
            margins = database.probe_many(*arrays_of(positions))
        assert margins.tolist() == list(made.values.values())

    def test_fields_and_lines_are_those_of_best_play(self, made: Made) -> None:
        draw = random.Random(1)
        with Database(made.path) as database:
            for state in draw.sample(list(made.values), 40):
                position = made.position(state)
                solution = database.probe(position, every_move=True)
                wanted = reference.field_values(made.rules, state, made.scoring.value, made.values)
                assert {move.field: move.margin for move in solution.moves} == wanted
                end = position.play_all(solution.line)
                assert end.is_over
                assert end.margin(made.scoring) == solution.margin * (-1) ** len(solution.line)

    def test_verification_finds_nothing_and_colours_may_be_exchanged(self, made: Made) -> None:
        root = ks.Position(made.root.layout, "black", made.root.marbles, made.root.short_end)
        field = root.legal_fields[0]
        with Database(made.path) as database:
            assert verify(database, sample=5).problems == ()
            assert database.get(root) == database.value
            assert database.get(root.play(field)) == database.get(made.root.play(field))


class TestAbsence:
    def test_nonsense_in_a_batch_is_absent(self, medium: Path) -> None:
        with Database(medium) as database:
            wrong = database.probe_many(
                [1 << 40, 1, 0, 2], [0, 1, 0, 1], [0, 0, 99, 0], [0, 0, 0, 99]
            )
            assert wrong.tolist() == [ABSENT] * 4
            with pytest.raises(ks.KulamiError, match="differ in length"):
                database.probe_many([0], [0], [0], [])


class TestBuilding:
    def test_the_bytes_do_not_depend_on_who_works(self, tmp_path: Path, medium: Path) -> None:
        root = ks.Position(ks.Layout.parse(MEDIUM))
        for threads in (1, 3):  # medium was built by two
            build(tmp_path / "b.kdb", root, threads=threads)
            assert digest(tmp_path / "b.kdb") == digest(medium)
        many = build(tmp_path / "many.kdb", root, threads=3, shard=1500)
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            built = build(tmp_path / "b.kdb", root, executor=pool, shard=1500)
        assert built.positions == many.positions
        assert digest(tmp_path / "b.kdb") == digest(tmp_path / "many.kdb")
        assert not list(tmp_path.glob("*.building"))

    @pytest.mark.skipif(os.name != "posix", reason="pipes and links")
    def test_only_regular_files_are_written_and_read(self, tmp_path: Path) -> None:
        pipe = tmp_path / "pipe.kdb"
        os.mkfifo(pipe)
        plain = tmp_path / "plain.kdb"
        plain.with_name("plain.kdb.building").write_text("mine", encoding="ascii")
        for name, said in (
            (str(pipe), "a pipe or a device is in the way; name another file"),
            ("-", "name one"),
            (str(tmp_path / "none" / "a.kdb"), f"there is no folder {tmp_path / 'none'}; make it"),
            (str(plain), "where a file is in the way; remove that"),
        ):
            ran = kulami("build", name, "--layout", "AAB/CCB")
            assert ran.code == 2
            assert f"error: {name}: " in ran.err
            assert said in ran.err
        assert pipe.is_fifo()
        assert not Path("-").exists()
        for words in (["info"], ["verify"], ["malawi", "verify"]):
            ran = kulami(*words, str(pipe))
            assert (ran.code, "no regular file" in ran.err) == (2, True)
        ran = kulami("prove", str(pipe), "--layout", "AAB/CCB")
        said = f"kulami: error: {pipe}: a pipe is in the way; name another file\n"
        assert (ran.code, ran.err) == (2, said)

        link, target = tmp_path / "link.kdb", tmp_path / "target.kdb"
        link.symlink_to(target)
        assert good("build", str(link), "--layout", "AAB/CCB", "--json").answer["positions"] == 19
        assert link.is_symlink()
        assert target.is_file()
        table, other = tmp_path / "link.csv", tmp_path / "other.csv"
        table.symlink_to(other)
        assert good("export", str(link), str(table), "--json").answer["rows"] == 19
        assert table.is_symlink()
        pipe_table = tmp_path / "pipe.csv"
        os.mkfifo(pipe_table)
        with subprocess.Popen(["cat", str(pipe_table)], stdout=subprocess.PIPE) as reader:
            good("export", str(link), str(pipe_table))
            assert reader.communicate()[0] == other.read_bytes()
        assert pipe_table.is_fifo()

    def test_groups_of_shards_change_no_byte(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Each shard by itself, or some together; a ply has few files then."""
        root = ks.Position(ks.Layout.parse("AABC/AABC/DDEE"))
        folder = tmp_path / "a.kdb.building"
        written, files = set(), []
        for least, groups in ((1, 100_000), (1, 10), (60, 100_000), (1 << 16, 1024)):
            counted: list[int] = []

            def count(state: building.BuildProgress, counted: list[int] = counted) -> None:
                if state.step == "solve" and not counted:
                    counted.append(len(list(folder.glob("layer-??-*"))))

            monkeypatch.setattr(build_tasks, "_LEAST", least)
            monkeypatch.setattr(build_tasks, "_GROUPS", groups)
            build(tmp_path / "a.kdb", root, shard=20, progress=count)
            written.add(digest(tmp_path / "a.kdb"))
            files += counted
        assert len(written) == 1
        with Database(tmp_path / "a.kdb") as database:
            plies = len(database.plies)
            assert files[0] == sum(map(database.parts, range(plies))) > 5 * plies
        assert files[0] > files[2] > files[3] == plies
        assert files[0] > files[1] > files[3]
        assert files[1] <= 20 * plies

    def test_more_shards_than_files_can_be_mapped_are_refused_at_once(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        root = ks.Position(ks.Layout.parse(MEDIUM))
        monkeypatch.setattr("kulami_solver.kulami.database.cost.most_mappings", lambda: 3000)
        monkeypatch.setattr(build_tasks, "_LEAST", 1)
        monkeypatch.setattr(build_tasks, "_GROUPS", 100_000)
        with pytest.raises(ks.BudgetError, match=r"shards, and this system lets a process map 3,0"):
            build(tmp_path / "a.kdb", root, shard=10)
        assert not list(tmp_path.iterdir())

    def test_what_will_not_fit_can_be_forced(self, tmp_path: Path) -> None:
        small = ks.Position(ks.Layout.parse(MEDIUM))
        assert build(tmp_path / "f.kdb", small, memory="64K", force=True).positions > 0

    def test_64_open_files_are_enough(self, tmp_path: Path) -> None:
        """To build and to verify a database of many parts."""
        pytest.importorskip("resource")
        program = """
import resource, sys
import kulami_solver as ks
from kulami_solver.kulami.database import build_tasks
build_tasks._LEAST = 1  # many files
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
ks.build(sys.argv[1], ks.Position(ks.Layout.parse("AABB/AABB/CCDD/CCDD")), threads=4, shard=20)
with ks.open_database(sys.argv[1]) as database:
    assert max(database.parts(ply) for ply in range(len(database.plies))) > 64
    assert ks.verify(database, threads=4).ok
"""
        subprocess.run([sys.executable, "-c", program, str(tmp_path / "a.kdb")], check=True)


class TestDamage:
    def test_other_files_are_named(self, medium: Path, tmp_path: Path) -> None:
        path = tmp_path / "other"
        path.write_bytes(b"PNG" * 100)
        with pytest.raises(ks.DatabaseError, match=r"not a Kulami database or proof \(it"):
            Database(path)
        newer = bytearray(medium.read_bytes())
        newer[8] = 2
        path.write_bytes(newer)
        with pytest.raises(ks.DatabaseError, match="version 2; this program reads version 1"):
            Database(path)

    def test_a_wrong_value_with_the_right_checksums_is_found(
        self, medium: Path, tmp_path: Path
    ) -> None:
        """Damage that no checksum tells: a section is exchanged for another build's."""
        with Database(medium) as database:
            ply = database.plies[9]
            arrays = database.records(9, 0)
            after = database.records(10, 0)
            values = arrays[3].copy()
            values[len(values) // 2] += 1
            wrong, _, _ = check_records(database._classes, 9, *arrays[:3], values, [after])
            assert wrong == len(values) // 2
            right = check_records(database._classes, 9, *arrays, [after])
            assert right == (-1, ply.moves, ply.ended)

    @pytest.mark.parametrize("count", ["moves", "ended"])
    def test_another_count_with_the_right_checksums_is_found(
        self, count: str, tmp_path: Path
    ) -> None:
        path = tmp_path / "a.kdb"
        build(path, ks.Position(ks.Layout.parse("ABB/ABB/ACC")))
        changed = crafted.Crafted.of(path.read_bytes())
        changed.header["plies"][1][count] += 1 if count == "moves" else -1
        crafted.write(path, changed.whole())
        (problem,) = verify(path).problems
        assert "ply 1 is not what the header says" in problem


class TestExport:
    @pytest.mark.parametrize("scoring", [ks.Scoring.LEVEL0, ks.Scoring.LEVEL2])
    def test_tables(self, scoring: ks.Scoring, tmp_path: Path) -> None:
        root = ks.Position(ks.Layout.parse("AABC/AABC/DDEE"))
        path = tmp_path / "t.kdb"
        build(path, root, scoring, shard=100)
        assert good("export", str(path), str(tmp_path / "t.csv"), "--json").answer["rows"] > 500
        lines = (tmp_path / "t.csv").read_text(encoding="ascii").splitlines()
        names = lines[0].split(",")
        with Database(path) as database:
            assert len(lines) == database.positions + 1
            first = dict(zip(names, lines[1].split(","), strict=True))
            assert int(first["live"]) == root.free_fields
            assert int(first["value" if scoring is ks.Scoring.LEVEL0 else "margin"]) == (
                database.value
            )
            if scoring is ks.Scoring.LEVEL2:
                for line in lines[1::50]:
                    row = dict(zip(names, line.split(","), strict=True))
                    assert int(row["own"]) & int(row["other"]) == 0
                    assert int(row["own"]) | int(row["other"]) == root.free_fields ^ int(
                        row["live"]
                    )

    def test_parquet(self, medium: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """It is written by groups of rows, however large a part of the database is."""
        pyarrow = pytest.importorskip("pyarrow.parquet")
        monkeypatch.setattr("kulami_solver.kulami.export._TOGETHER", 50)
        rows = good("export", str(medium), str(tmp_path / "m.parquet"), "--json").answer["rows"]
        table = pyarrow.read_table(tmp_path / "m.parquet")
        assert pyarrow.read_metadata(tmp_path / "m.parquet").num_row_groups >= rows / 50
        assert table.num_rows == rows
        assert table.schema.metadata[b"kulami.layout"].decode() == MEDIUM
        assert np.array(table["ply"]).max() > 8


class TestReadBack:
    """A file that does not say what was to be written never appears."""

    ROOT = ks.Position(ks.Layout.parse(MEDIUM)).play("b1").play("c1")

    @pytest.fixture(params=["reader", "encoder", "index", "places", "values"])
    def why(self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
        """Spoil a part of the program; what a build then says."""
        spoil = monkeypatch.setattr
        read, find, write = Parts.records, records.look_up, write_database
        solve = LayerRules.solve

        def misread(self: Parts, ply: int, numbers: Any) -> Records:
            """The file is right, and what is read of one record is not."""
            frames, starts, details, values = read(self, ply, numbers)
            if 1 in numbers:
                details[len(details) // 2] ^= 1
            return frames, starts, details, values

        class Forgetful(Codec):
            def pack(
                self, frames: Any, starts: Any, details: Any, values: Any, bounds: Any = ()
            ) -> list[bytes]:
                changed = values.copy()
                changed[-1] = changed[0]
                return super().pack(frames, starts, details, changed, bounds)

        def miss_the_last(*arrays: Any) -> None:
            find(*arrays)
            arrays[-1][-1] = 0

        def exchange(path: Path, about: Any, sections: Any, **more: Any) -> int:
            """Each section has its checksum, and is another ply's."""
            *_, one, other = (i for i, (said, _) in enumerate(sections) if "records" in said)
            (first, its), (second, theirs) = sections[one], sections[other]
            sections[one] = {**second, "ply": first["ply"]}, theirs
            sections[other] = {**first, "ply": second["ply"]}, its
            return write(path, about, sections, **more)

        class Wrong(LayerRules):
            """What is solved is written and read alike, and contradicts the rules."""

            def solve(self, *arguments: Any) -> None:
                solve(self, *arguments)
                if len(arguments[-1]) == 1:
                    arguments[-1][0] += 1

        build_tasks.rules_of.cache_clear()
        match request.param:
            case "reader":
                spoil(Parts, "records", misread)
                yield r"ply \d+ has other records, in part 0 or up to part \d+, than"
            case "encoder":
                spoil(build_tasks, "Codec", Forgetful)
                yield "(is not found as it was written|has other records)"
            case "index":
                spoil(parts, "look_up", miss_the_last)
                yield "is not found as it was written"
            case "places":
                spoil(building, "write_database", exchange)
                yield ""
            case "values":
                spoil(build_tasks, "LayerRules", Wrong)
                yield "not worth what its best move"
        build_tasks.rules_of.cache_clear()

    def test_nothing_is_written(self, why: str, tmp_path: Path) -> None:
        """The build ends with an error; what there was before, nothing or a file, stays."""
        path, old = tmp_path / "a.kdb", tmp_path / "old.kdb"
        with pytest.raises(ks.DatabaseError, match=f"{path}: was not written, .*{why}.*remove "):
            build(path, self.ROOT, shard=400)
        assert list(tmp_path.iterdir()) == [tmp_path / "a.kdb.building"]
        old.write_bytes(b"kept")
        with pytest.raises(ks.DatabaseError, match=f"{old}: was not written"):
            build(old, self.ROOT, shard=400)
        assert old.read_bytes() == b"kept"

    def test_on_the_command_line_and_then_built_again(self, tmp_path: Path) -> None:
        """One line says why; the same build with a sound reader takes the work up."""
        path = tmp_path / "a.kdb"
        program = (
            "import sys\n"
            "from kulami_solver.kulami.database.parts import Parts\n"
            "from kulami_solver.cli import main\n"
            "sound = Parts.records\n"
            "def records(*part):\n"
            "    frames, starts, details, values = sound(*part)\n"
            "    return frames, starts, details, values + 1\n"
            "Parts.records = records\n"
            "sys.exit(main())\n"
        )
        words = ["build", str(path), "--layout", "AAB/CCB"]
        ran = completed([sys.executable, "-c", program, *words])
        assert (ran.returncode, ran.stdout) == (2, "")
        (said,) = [line for line in ran.stderr.splitlines() if "warning" not in line]
        assert f"{path}: was not written" in said
        assert f"remove {path}.building" in said
        assert not path.exists()
        assert good(*words, "--json").answer["positions"] == 19
        assert not path.with_name("a.kdb.building").exists()
