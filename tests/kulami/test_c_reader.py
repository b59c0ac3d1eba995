"""The reader of databases in C, docs/examples/read_database.c: it says what the package says.

So does the one in plain Python, of positions that are not below the root.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sysconfig
from collections.abc import Iterable, Sequence
from pathlib import Path

import crafted
import late_roots
import pytest
from command_line import completed
from test_plain_reader import WRONG

import kulami_solver as ks
from kulami_solver.kulami import plain_reader
from kulami_solver.kulami.database.building import build

LAYOUT = "AABC/AABC/DDEE"
pytestmark = pytest.mark.sources


def compiled(repository: Path, folder: Path, compiler: Sequence[str]) -> Path:
    """The program, made by a compiler that is there; a warning is an error."""
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"there is no compiler {compiler[0]}")
    source = repository / "docs" / "examples" / "read_database.c"
    words = ["-std=c99", "-O2", "-Wall", "-Wextra", "-pedantic", "-Werror", str(source)]
    done = completed([*compiler, *words, "-o", str(folder / "reader")])
    assert done.returncode == 0, done.stderr
    return folder / "reader"


@pytest.fixture(scope="module")
def reader(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, for this machine."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    return compiled(repository, tmp_path_factory.mktemp("reader"), compiler)


def asked(command: Sequence[str | Path], path: Path, positions: Iterable[ks.Position]) -> list[str]:
    """What the program prints for positions, a line each."""
    lines = "".join(f"{position.kfn()}\n" for position in positions)
    done = completed([*command, path, "-"], input=lines)
    assert done.returncode in (0, 1), done.stderr
    assert done.stderr == ""
    return done.stdout.splitlines()


def assert_as_the_package(command: Sequence[str | Path], numbers: range, folder: Path) -> None:
    """Every reachable position of random roots, those that are over among them, is the same.

    So it is without keys.
    """
    path, small = folder / "root.kdb", folder / "small.kdb"
    scorings, gaps = set(), 0
    for number in numbers:
        root = late_roots.random_root(3, number)
        scorings.add(root.scoring)
        gaps += "." in str(root.position.layout)
        for thin in (True, False):
            root.build(path, thin)
            with ks.open_database(path) as database:
                margins = [str(database.get(position)) for position in root.reachable]
            assert asked(command, path, root.reachable) == margins, root
        ks.compact(path, small, force=True, **root.compact)
        assert asked(command, small, root.reachable) == margins, root
    assert scorings == set(ks.Scoring)
    assert gaps > 1


@pytest.mark.parametrize(
    "begin", [0, *(pytest.param(n, marks=pytest.mark.nightly) for n in range(1000, 1300, 100))]
)
@pytest.mark.landing
def test_every_position_of_random_roots(begin: int, reader: Path, tmp_path: Path) -> None:
    assert_as_the_package([reader], range(begin, begin + (12 if begin == 0 else 100)), tmp_path)


@pytest.mark.nightly
def test_on_a_big_endian_machine(repository: Path, tmp_path: Path) -> None:
    machine = shutil.which("qemu-s390x-static") or shutil.which("qemu-s390x")
    if machine is None:
        pytest.skip("there is no qemu-s390x-static (Debian: qemu-user-static)")
    program = compiled(repository, tmp_path, ["s390x-linux-gnu-gcc", "-static"])
    assert_as_the_package([machine, program], range(30), tmp_path)


def test_positions_that_are_not_below_the_root(reader: Path, tmp_path: Path) -> None:
    early = ks.Position(ks.Layout.parse(LAYOUT))
    build(tmp_path / "late.kdb", early.play("a1"), "2")
    beside = [early, *(early.play(field) for field in early.legal_fields)]
    beside += [after.play(field) for after in beside for field in after.legal_fields]
    beside.append(ks.Position(ks.Layout.parse(LAYOUT.lower())))
    with ks.open_database(tmp_path / "late.kdb") as database:
        margins = [database.get(position) for position in beside]
    with plain_reader.open_database(tmp_path / "late.kdb") as plain:
        assert [plain.get(position.kfn()) for position in beside] == margins
        with pytest.raises(plain_reader.AbsentError, match="is not below the root"):
            plain.probe(beside[-1].kfn())
    said = asked([reader], tmp_path / "late.kdb", beside)
    assert said == ["absent" if margin is None else str(margin) for margin in margins]
    assert {"absent"} < set(said)


def test_one_position_and_its_fields(reader: Path, repository: Path) -> None:
    path = repository / "data" / "3x4-level2.kdb"
    done = completed([reader, path], check=True)
    with ks.open_database(path) as database:
        moves = database.move_values(database.root)
        lines = [f"margin {database.value}", *(f"{move.field} {move.margin}" for move in moves)]
    assert sorted(done.stdout.splitlines()) == sorted(lines)


def test_what_is_no_position(reader: Path, tmp_path: Path) -> None:
    build(tmp_path / "small.kdb", ks.Position(ks.Layout.parse(LAYOUT)))
    others = ("", "A/ - r -", f"{LAYOUT} r b a1,", f"{LAYOUT} r b a01")
    for text in (*others, *(f"{LAYOUT} {rest}".strip() for rest in WRONG)):
        command = [str(reader), str(tmp_path / "small.kdb"), text]
        done = completed(command)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("read_database: ")


def test_damaged_files(reader: Path, tmp_path: Path) -> None:
    """A bit anywhere is noticed, and so is what is cut off."""
    root = ks.Position(ks.Layout.parse(LAYOUT))
    build(tmp_path / "sound.kdb", root, executor=late_roots.Inline(), shard=200)
    found = late_roots.reachable(root, 1_000_000)
    assert found is not None
    lines = "".join(f"{position.kfn()}\n" for position in found)
    content = (tmp_path / "sound.kdb").read_bytes()
    spoilt = [content[:size] for size in (0, 63, 64, 1000, -64, -1)]
    for place in range(0, len(content), len(content) // 100):
        flipped = bytes([content[place] ^ 1 << place % 8])
        spoilt.append(content[:place] + flipped + content[place + 1 :])
    for content in spoilt:
        (tmp_path / "spoilt.kdb").write_bytes(content)
        done = completed([reader, tmp_path / "spoilt.kdb", "-"], input=lines)
        assert done.returncode == 1
        assert done.stderr.startswith("read_database: ")


@pytest.mark.nightly
def test_whatever_a_file_says_it_reads_nothing_beyond_it(repository: Path, tmp_path: Path) -> None:
    """Files with right checksums that lie, under gcc's sanitizers."""
    program = compiled(repository, tmp_path, ["gcc", "-g", "-fsanitize=address,undefined"])
    build(tmp_path / "sound.kdb", ks.Position(ks.Layout.parse(LAYOUT)))
    content = (tmp_path / "sound.kdb").read_bytes()
    settings = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "halt_on_error=1"}
    for said, lying in crafted.crafted_files(content, 400, 5):
        path = crafted.write(tmp_path / "crafted.kdb", lying)
        done = completed([program, path], env=settings)
        assert done.returncode in (0, 1), f"{said}: {done.stderr}"
        assert "runtime error" not in done.stderr, f"{said}: {done.stderr}"
        assert "Sanitizer" not in done.stderr, f"{said}: {done.stderr}"
