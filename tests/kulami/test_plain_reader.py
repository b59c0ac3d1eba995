"""docs/examples/plain_reader.py, the reader that stands alone: as the compiled one."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import crafted
import late_roots
import plain_reader
import pytest
from command_line import completed
from plain_reader import AbsentError, FileError, TextError

import kulami_solver as ks
from kulami_solver.kulami.database.building import build

LAYOUT = "AABC/AABC/DDEE"
SOURCE = Path(plain_reader.__file__)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small database in many parts."""
    path = tmp_path_factory.mktemp("small") / "small.kdb"
    build(path, ks.Position(ks.Layout.parse(LAYOUT)), executor=late_roots.Inline(), shard=200)
    return path


#: What follows on the layout in texts that are no positions.
WRONG = [
    *("", "- r", "- red -", "x r a1", "9r b a1", "99999999999999999999 r -", "////r b a1"),
    *("r r a1", "rr b a1", "r b -", "r b b1", "r b z9", "- r a1", "rbr b a1,b1,c1"),
]


class TestTexts:
    def test_what_is_no_position(self, small: Path) -> None:
        others = ["", f"{'A' * 17} - r -", f"{LAYOUT.replace('B', '.')} 2r b c1"]
        with plain_reader.open_database(small) as plain:
            for text in (*others, *(f"{LAYOUT} {rest}".strip() for rest in WRONG)):
                with pytest.raises(TextError):
                    plain.probe(text)

    def test_positions_that_are_not_below_the_root(self, tmp_path: Path) -> None:
        early = ks.Position(ks.Layout.parse(LAYOUT))
        build(tmp_path / "late.kdb", early.play("a1"), "2")
        beside = [early, *(early.play(field) for field in early.legal_fields)]
        beside += [after.play(field) for after in beside for field in after.legal_fields]
        beside.append(ks.Position(ks.Layout.parse(LAYOUT.lower())))
        with ks.open_database(tmp_path / "late.kdb") as database:
            margins = [database.get(position) for position in beside]
        with plain_reader.open_database(tmp_path / "late.kdb") as plain:
            assert [plain.get(position.kfn()) for position in beside] == margins
            with pytest.raises(AbsentError, match="is not below the root"):
                plain.probe(beside[-1].kfn())
        assert None in margins
        assert any(margin is not None for margin in margins)


class TestFiles:
    def test_whatever_a_file_says_it_is_read_or_refused(self, small: Path, tmp_path: Path) -> None:
        """With right checksums, too: no other error, and nothing that does not end."""
        refused = 0
        for _, content in crafted.crafted_files(small.read_bytes(), 150, 3):
            path = crafted.write(tmp_path / "crafted.kdb", content)
            try:
                with plain_reader.open_database(path) as plain:
                    plain.probe_moves(plain.root)
            except (FileError, AbsentError):
                refused += 1
        assert refused > 45

    def test_what_is_wrong_is_said(self, small: Path, repository: Path, tmp_path: Path) -> None:
        content, path = small.read_bytes(), tmp_path / "wrong.kdb"
        ks.malawi.build(path, ks.malawi.Board(2, 3))
        for said, wrong in (
            *((f"no database: it has only {size} bytes", content[:size]) for size in (0, 1, 63)),
            *(("damaged or cut off", content[:size]) for size in (64, 1000, -64, -1)),
            ("no database of Kulami", (repository / "README.md").read_bytes()),
            ("it has version 7; this reader knows version 1", content[:8] + b"\7" + content[9:]),
            ("a database of another game, malawi", path.read_bytes()),
        ):
            path.write_bytes(wrong)
            with pytest.raises(FileError, match=rf"wrong\.kdb: {said}$"):
                plain_reader.open_database(path)
        with pytest.raises(OSError, match="absent"):
            plain_reader.open_database(tmp_path / "absent.kdb")
        with plain_reader.open_database(small) as plain:
            root = plain.root
        with pytest.raises(FileError, match=r"small\.kdb: the database is closed; open it again"):
            plain.probe(root)


class TestAlone:
    def test_a_copy_of_the_file_needs_nothing_else(self, small: Path, tmp_path: Path) -> None:
        shutil.copy(SOURCE, tmp_path / "reader.py")
        program = f"""
import sys; before = set(sys.modules)
import reader
with reader.open_database({str(small)!r}) as database:
    assert database.probe(database.root) == database.value
print(*{{name.partition(".")[0] for name in set(sys.modules) - before}} - sys.stdlib_module_names)
"""
        ran = completed([sys.executable, "-c", program], check=True, cwd=tmp_path)
        assert ran.stdout == "reader\n"

    def test_in_the_shell(self, small: Path, tmp_path: Path) -> None:
        command = [sys.executable, str(SOURCE), str(small)]
        ran = completed(command, check=True)
        with plain_reader.open_database(small) as plain:
            moves = plain.probe_moves(plain.root)
            lines = [f"margin {plain.value}", *(f"{name} {moves[name]}" for name in moves)]
        assert ran.stdout.splitlines() == lines
        ran = completed([*command, f"{LAYOUT} r r a1"])
        assert (ran.returncode, ran.stdout) == (1, "")
        assert "the side to move" in ran.stderr
        ran = completed([*command, ""])
        assert (ran.returncode, ran.stdout) == (1, "")
        assert "a position is four words" in ran.stderr
