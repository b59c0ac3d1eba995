"""Crafted files: whatever they say with right checksums, none is believed.

Each is either refused, by a `DatabaseError` where it is opened, probed or verified, or harmless: it
says of every position what is true. The thorough runs are `nightly`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import crafted
import numpy as np
import plain_reader
import pytest
from command_line import kulami

import kulami_solver as ks
from kulami_solver import malawi
from kulami_solver.kulami.database.probe import arrays_of

NIGHTLY = pytest.mark.nightly
REFUSED, HARMLESS = "refused", "harmless"


@dataclasses.dataclass(frozen=True)
class Sound:
    """A sound file of some game.

    Attributes:
        content: its bytes.
        judge: says of a crafted file made of it that it is REFUSED (and where) or HARMLESS; fails
            if it is neither.
        plainly: reads all of it with plain Python, which knows Kulami alone.
        words: the command that verifies it.
    """

    content: bytes
    judge: Callable[[Path], str]
    plainly: Callable[[Path], object] | None = None
    words: tuple[str, ...] = ("verify",)


def positions_below(root: ks.Position, most: int) -> list[ks.Position]:
    """Positions that can be reached, breadth first, none of them over."""
    found, seen = [root], {root.kfn()}
    for position in found:
        for name in position.legal_fields:
            after = position.play(name)
            if len(found) < most and not after.is_over and after.kfn() not in seen:
                seen.add(after.kfn())
                found.append(after)
    return found


def figures(database: ks.Database) -> Any:
    """What a database says of itself, but for the sizes of sections."""
    plies = [dataclasses.replace(ply, bytes=0) for ply in database.plies]
    return database.value, database.positions, plies, database.root, database.scoring


def of_kulami(
    folder: Path, layout: str, scoring: ks.Scoring, marbles: int = 28, shard: int = 40
) -> Sound:
    """A small database of Kulami, in many parts."""
    path = folder / "sound.kdb"
    root = ks.Position(ks.Layout.parse(layout), marbles=marbles)
    ks.build(path, root, scoring, shard=shard)
    asked = positions_below(root, 3000)
    arrays = arrays_of(asked)
    with ks.open_database(path) as database:
        truth = database.probe_many(*arrays)
        about = figures(database)
        line = database.probe(root, every_move=True)

    def judge(path: Path) -> str:
        try:
            database = ks.open_database(path)
        except ks.DatabaseError:
            return f"{REFUSED} when opened"
        with database:
            refused = ""
            try:
                margins = database.probe_many(*arrays)
                solution = database.probe(root, every_move=True)
                assert database.probe(asked[-1]).exact
            except (ks.DatabaseError, ks.NotInDatabaseError):
                refused = f"{REFUSED} when probed"
            if not ks.verify(database, threads=1, sample=1).ok:
                return refused or f"{REFUSED} when verified"
            if database.root != root:
                # Few marbles more or less change nothing where games end before: a true file of
                # another root.
                assert database.get(database.root) == database.value
                assert database.value == ks.solve(database.root, database.scoring).margin
                return HARMLESS
            assert not refused, "verified, and yet it cannot be probed"
            assert np.array_equal(margins, truth)
            assert solution == line
            assert figures(database) == about
        return HARMLESS

    texts = [position.kfn() for position in asked]

    def plainly(path: Path) -> object:
        with plain_reader.open_database(path) as plain:
            return [plain.get(text) for text in texts]

    return Sound(path.read_bytes(), judge, plainly)


def of_malawi(folder: Path, board: malawi.Board) -> Sound:
    """A small database of Malawi."""
    path = folder / "sound.kdb"
    malawi.build(path, board, threads=1)
    start = malawi.Position.start(board)
    asked = [start]
    for position in asked[:200]:
        if not position.is_over:
            asked += [position.play(turn) for turn in position.legal_turns]
    asked = asked[:3000]
    with malawi.Database(path) as database:
        truth = [database.get(position) for position in asked]
        about = (database.value, database.positions, database.counts())
        line = database.probe(start, every_move=True)

    def judge(path: Path) -> str:
        try:
            database = malawi.Database(path)
        except ks.DatabaseError:
            return f"{REFUSED} when opened"
        with database:
            refused = ""
            try:
                values = [database.get(position) for position in asked]
                solution = database.probe(start, every_move=True)
            except (ks.DatabaseError, ks.NotInDatabaseError):
                refused = f"{REFUSED} when probed"
            if not malawi.verify(database, threads=1).ok:
                return refused or f"{REFUSED} when verified"
            assert not refused, "verified, and yet it cannot be probed"
            assert values == truth
            assert dataclasses.replace(solution, seconds=0.0) == dataclasses.replace(
                line, seconds=0.0
            )
            assert (database.value, database.positions, database.counts()) == about
        return HARMLESS

    return Sound(path.read_bytes(), judge, words=("malawi", "verify"))


MAKERS: dict[str, Callable[[Path], Sound]] = {
    "panels": lambda folder: of_kulami(folder, "ABB/ABB/ACC", ks.Scoring.LEVEL0),
    "areas": lambda folder: of_kulami(folder, "AABB/CCBB", ks.Scoring.LEVEL1, marbles=3),
    # Blocks with a second half.
    "halves": lambda folder: of_kulami(
        folder, "AABB/CCDD/CCDD", ks.Scoring.LEVEL2, marbles=4, shard=300
    ),
    "malawi": lambda folder: of_malawi(folder, malawi.Board(2, 3)),
}


@pytest.fixture(scope="module", params=MAKERS)
def sound(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Sound:
    """A sound file of each kind."""
    return MAKERS[request.param](tmp_path_factory.mktemp("sound"))


def judged(sound: Sound, files: Iterable[tuple[str, bytes]], path: Path) -> Counter[str]:
    """What becomes of crafted files; fails at the first that is believed."""
    found: Counter[str] = Counter()
    for said, content in files:
        try:
            found[sound.judge(crafted.write(path, content))] += 1
        except Exception as error:
            raise AssertionError(f"{said}: {type(error).__name__}: {error}") from error
    return found


def test_the_sound_file_put_together_again_is_sound(sound: Sound, tmp_path: Path) -> None:
    again = crafted.Crafted.of(sound.content).whole()
    assert sound.judge(crafted.write(tmp_path / "a.kdb", again)) == HARMLESS


def damaged(content: bytes, draw: random.Random) -> bytes:
    """A file with a bit changed, cut short, made longer, or with another last byte of a section."""
    ends = [0, 1, 63, 64, 65, len(content) - 1]
    how, end = draw.randrange(4), draw.choice([*ends, draw.randrange(len(content))])
    if how == 0:
        return content[:end]
    if how == 1:
        return content + draw.randbytes(draw.randint(1, 64))
    sound = crafted.Crafted.of(content)
    last = [*itertools.accumulate(map(len, reversed(sound.parts)))]  # nothing may depend on it
    at = (
        len(content) - 1 - draw.choice([0, *last[:-1]])
        if how == 2
        else draw.randrange(len(content))
    )
    return content[:at] + bytes([content[at] ^ 1 << draw.randrange(8)]) + content[at + 1 :]


@pytest.mark.parametrize("times", [40, pytest.param(1000, marks=NIGHTLY)])
def test_damage_is_noticed(sound: Sound, times: int, tmp_path: Path) -> None:
    """By whoever opens, asks or verifies it, by the plain reader, in one line of the command."""
    draw, path = random.Random(times), tmp_path / "a.kdb"
    for number in range(times):
        crafted.write(path, damaged(sound.content, draw))
        assert sound.judge(path).startswith(REFUSED)
        if sound.plainly is not None:
            with pytest.raises(plain_reader.FileError):
                sound.plainly(path)
        if number % 8 == 0:
            ran = kulami(*sound.words, str(path))
            assert ran.code in (1, 2)
            assert len(ran.err.splitlines()) == 1
            assert str(path) in ran.err


@pytest.mark.parametrize("part", [5, pytest.param(1, marks=NIGHTLY)])
def test_each_key_gone_or_of_another_type(sound: Sound, part: int, tmp_path: Path) -> None:
    found = judged(sound, crafted.every_key(sound.content, part), tmp_path / "a.kdb")
    # `shard` may be any number: it has no meaning to readers.
    assert found[HARMLESS] <= sum(type(v) is int for v in crafted.STRANGE) + 5
    assert found[f"{REFUSED} when opened"] > 200 / part


def test_crafted_files(sound: Sound, tmp_path: Path) -> None:
    found = judged(sound, crafted.crafted_files(sound.content, 80, 1), tmp_path / "a.kdb")
    assert found[f"{REFUSED} when opened"] > 20
    assert sum(found.values()) == 80


def way_into(database: ks.Database) -> list[ks.Position]:
    """The game before the root of a database, and one on from there."""
    way = [ks.Position(database.layout, marbles=database.root.marbles)]
    while len(way) < 4 and not way[-1].is_over:
        way.append(way[-1].play(way[-1].legal_fields[0]))
    assert database.root in way
    return way


@pytest.mark.parametrize(
    ("layout", "plies", "scoring"),
    [("ABB/ABB/ACC", 1, 0), ("AABBC/AABBC", 1, 1), ("AABBC/AABBC", 2, 2)],
)
def test_search_with_every_number_of_a_header_changed(
    layout: str, plies: int, scoring: int, tmp_path: Path
) -> None:
    """The search comes to an end: with a value, or with what is wrong with the file.

    Which values are true, `verify` alone can tell.
    """
    root = ks.Position(ks.Layout.parse(layout))
    for _ in range(plies):
        root = root.play(root.legal_fields[0])
    ks.build(tmp_path / "a.kdb", root, scoring, shard=40)
    with ks.open_database(tmp_path / "a.kdb") as database:
        asked = way_into(database)
    found: Counter[str] = Counter()

    def ask(database: ks.Database) -> None:
        for position in asked:
            for wanted in ({}, {"every_move": True}, {"goal": "outcome"}):
                try:
                    told = ks.solve(position, scoring, database=database, time=60, **wanted)
                except ks.DatabaseError:
                    found[REFUSED] += 1
                    continue
                found[HARMLESS] += 1
                assert told.exact
                assert told.lower <= told.upper
                assert position.play_all(told.line).is_over
            with contextlib.suppress(ks.DatabaseError):
                (told,) = ks.solve_many([position], scoring, database=database)
                assert told.exact

    for said, content in crafted.every_number((tmp_path / "a.kdb").read_bytes()):
        crafted.write(tmp_path / "b.kdb", content)
        try:
            with ks.open_database(tmp_path / "b.kdb") as database:
                ask(database)
        except ks.DatabaseError:
            found["when opened"] += 1
        except Exception as error:
            raise AssertionError(f"{said}: {type(error).__name__}: {error}") from error
    assert min(found["when opened"], found[REFUSED], found[HARMLESS]) > 20


def test_malawi_with_every_number_of_a_header_changed(tmp_path: Path) -> None:
    sound = of_malawi(tmp_path, malawi.Board(2, 3))
    start = malawi.Position.start(malawi.Board(2, 3))
    path = tmp_path / "b.kdb"
    assert judged(sound, crafted.every_number(sound.content), path)[f"{REFUSED} when opened"] > 20
    for _, content in crafted.every_number(sound.content):
        with (
            contextlib.suppress(ks.DatabaseError),
            malawi.Database(crafted.write(path, content)) as database,
        ):
            malawi.solve(start, database=database, every_move=True)


@NIGHTLY
@pytest.mark.parametrize("seed", range(3))
def test_ten_thousand_crafted_files(sound: Sound, tmp_path: Path, seed: int) -> None:
    found = judged(sound, crafted.crafted_files(sound.content, 900, 100 + seed), tmp_path / "a.kdb")
    assert sum(found.values()) == 900
    print(dict(found))


class TestHeaders:
    """Lies that a schema does not tell."""

    @pytest.fixture
    def changed(self, sound: Sound) -> crafted.Crafted:
        return crafted.Crafted.of(sound.content)

    def test_brackets_deeper_than_a_stack(self, changed: crafted.Crafted, tmp_path: Path) -> None:
        deep = "[" * 1_000_000 + "]" * 1_000_000
        changed.text = f'{{"game":"{changed.header["game"]}","more":{deep}}}'.encode("ascii")
        crafted.write(tmp_path / "a.kdb", changed.whole())
        for opened in (ks.open_database, malawi.Database):
            with pytest.raises(ks.DatabaseError):
                opened(tmp_path / "a.kdb")

    @pytest.mark.parametrize("lie", ["overlap", "count"])
    def test_what_does_not_add_up(
        self, lie: str, sound: Sound, changed: crafted.Crafted, tmp_path: Path
    ) -> None:
        if lie == "overlap":
            changed.header["sections"][1]["offset"] = 0
            changed.kept.add((1, "offset"))
        else:
            changed.header["positions"] += 1
        crafted.write(tmp_path / "a.kdb", changed.whole())
        assert sound.judge(tmp_path / "a.kdb") == f"{REFUSED} when opened"

    def test_the_message_is_short_and_printable(
        self, changed: crafted.Crafted, tmp_path: Path
    ) -> None:
        changed.header["\x1b[2J\n" * 1000] = 1
        crafted.write(tmp_path / "a.kdb", changed.whole())
        with pytest.raises(ks.DatabaseError) as caught:
            ks.open_database(tmp_path / "a.kdb")
        said = str(caught.value).replace(str(tmp_path), "")
        assert len(said) < 300
        assert said.isprintable()
