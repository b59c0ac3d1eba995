"""Proofs: what is true is proved and believed by every checker, and what is not, by none."""

from __future__ import annotations

import concurrent.futures
import contextlib
import hashlib
import json
import random
import signal
import struct
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import tiny_proof_checker as tiny
from command_line import good, kulami

import kulami_solver as ks
from kulami_solver.core.background import Stopped
from kulami_solver.errors import KulamiError
from kulami_solver.kulami.position.arrangements import random_rows
from kulami_solver.kulami.proof import proof as proof_module
from kulami_solver.kulami.proof.proof import Proof, ProofError, open_proof
from kulami_solver.kulami.proof.proof_file import FoundProof, ToProve, write_proof
from kulami_solver.kulami.prove import prove
from kulami_solver.storage.container import NotInDatabaseError, is_proof

POSITIONS = Path(__file__).parent.parent / "positions"
SMALL = "ABBCD/ABBCD/ABBEE/FFFEE"

# Boards that are like no other: gaps, one panel, single squares, single rows.
STRANGE = (
    "AA.BB/AA.BB/..C../DD.EE",
    "AAA/AAA/AAA",
    "ABC/DEF/GHI",
    "AABBCCDDEE",
    "A.B.C/.D.E./F.G.H/.I.J.",
    "AAAAA/BBBBB/CCCCC/DDDDD/EEEEE",
)


def positions_on_file(names: list[str]) -> Iterator[tuple[ks.Position, str, int]]:
    """Positions, scorings and margins that are in the repository."""
    for name in names:
        for line in POSITIONS.joinpath(f"{name}.jsonl").read_text("utf-8").splitlines():
            said = json.loads(line)
            position = ks.Position.from_kfn(said["kfn"], said["marbles"], said["short_end"])
            yield position, said["scoring"], said["margin"]


def random_positions(seed: int, count: int, most_free: int) -> Iterator[tuple[ks.Position, str]]:
    """Late positions of random games on boards of any kind, with few marbles and short ends."""
    draw = random.Random(seed)
    for number in range(count):
        rows = draw.choice((*STRANGE, SMALL, "/".join(random_rows(draw.randrange(1 << 30), True))))
        layout = ks.Layout.parse(rows)
        marbles = draw.choice((28, 28, draw.randint(2, 1 + len(layout) // 2)))
        position = ks.Position(layout, marbles=marbles, short_end=draw.random() < 0.3)
        while position.free_count > most_free and not position.is_over:
            position = position.play(draw.choice(position.legal_fields))
        yield position, ("0", "1", "2", "chains")[number % 4]


def proved(
    folder: Path, position: ks.Position, scoring: str, depth: int | None = None, **options: Any
) -> Path:
    """A proof, checked by `verify`."""
    path = folder / "it.kpf"
    found = prove(path, position, scoring, depth_left=depth, **options)
    with open_proof(path) as proof:
        checked = proof.verify()
        assert checked.ok, checked.problems
        assert checked.value == found.value == proof.value
        assert checked.steps == sum(found.steps) == proof.steps
        assert proof.root == position
    return path


def agree(path: Path, value: int | str) -> None:
    """The checkers written from the document believe it, too: the file and the text."""
    with open_proof(path) as proof:
        lines = list(proof.text())
    assert len(lines) == proof.steps + 2
    assert str(tiny.check_file(path.read_bytes())) == tiny.check_text(lines) == str(value)


@pytest.mark.parametrize(
    ("names", "every"),
    [
        (["small", "limits"], 40),
        pytest.param(
            ["small", "limits", "middle", "standard", "placed"], 1, marks=pytest.mark.nightly
        ),
    ],
)
def test_known_margins_are_proved(names: list[str], every: int, tmp_path: Path) -> None:
    check_margins(list(positions_on_file(names))[::every], tmp_path)


@pytest.mark.parametrize(
    ("count", "free"), [(32, 11), pytest.param(400, 14, marks=pytest.mark.nightly)]
)
def test_random_late_positions_are_proved(count: int, free: int, tmp_path: Path) -> None:
    positions = random_positions(count, count, free)
    check_margins([(*one, ks.solve(*one).margin) for one in positions], tmp_path)


def check_margins(asked: Sequence[tuple[ks.Position, str, int | None]], folder: Path) -> None:
    """Prove that positions have their margins."""
    for number, (position, scoring, margin) in enumerate(asked):
        path = proved(folder, position, scoring, number % 6)
        with open_proof(path) as proof:
            assert proof.value == margin
            steps = proof.steps
        if steps <= 200:
            agree(path, proof.value)


@pytest.mark.parametrize(
    "checked", [Proof.verify, pytest.param(None, marks=pytest.mark.nightly)], ids=["verify", "tiny"]
)
def test_the_5x5_board_is_proved(checked: Any, repository: Path) -> None:
    for scoring, margin in (("0", 1), ("1", 2), ("2", 2), ("chains", 1)):
        path = repository / "data" / "proofs" / f"5x5-{scoring}.kpf"
        with open_proof(path) as proof:
            assert checked(proof).ok if checked else tiny.check_file(path.read_bytes()) == margin
            assert proof.root == ks.Position(ks.Layout.parse("ABBBC/ABBBC/ADDEE/FDDEE/FDDGG"))
            assert (proof.scoring.value, proof.value) == (scoring, margin)


def test_outcomes_are_proved(tmp_path: Path) -> None:
    seen = set()
    for position, scoring in random_positions(7, 24, 9):
        path = proved(tmp_path, position, scoring, 1, goal="outcome")
        value = ks.solve(position, scoring).outcome
        agree(path, str(value))
        seen.add(value)
        with open_proof(path) as proof:
            assert proof.probe(position).outcome == value
    assert seen == {"win", "draw", "loss"}


def test_the_depth_changes_the_steps_alone(tmp_path: Path) -> None:
    position = ks.Position(ks.Layout.parse(SMALL)).play_all("d3 b3 a3")
    over = ks.Position(ks.Layout.parse("AA")).play("a1")
    steps = []
    for root, depth in (*((position, depth) for depth in (0, 3, 6, 12, 64)), (over, 0)):
        with open_proof(proved(tmp_path, root, "2", depth)) as proof:
            steps.append(proof.steps)
    assert steps == sorted(steps, reverse=True)
    assert steps[-2:] == [1, 1]
    agree(tmp_path / "it.kpf", -3)  # its panel, and an area of one


def test_a_chain_that_grows_is_counted_once(tmp_path: Path) -> None:
    """Both sides have five in a row, and one more of each is to come: the checker plays it out."""
    root = ks.Position(ks.Layout.parse("ABCDEFGHIJKL")).play_all("a1 g1 b1 h1 c1 i1 d1 j1 e1 k1")
    for position in (root, root.play("l1")):
        margin = ks.solve(position, "chains").margin
        assert margin is not None
        agree(proved(tmp_path, position, "chains", 6), margin)


# Play from a proof


def test_solve_answers_from_a_proof(tmp_path: Path) -> None:
    path = proved(tmp_path, ks.Position(ks.Layout.parse(SMALL)), "0", 3)
    draw = random.Random(3)
    with open_proof(path) as proof:
        for _ in range(20):
            position = proof.root
            ours = draw.random() < 0.5  # who plays as the proof says
            while not position.is_over:
                said = proof.probe(position, every_move=draw.random() < 0.2)
                true = ks.solve(position)
                assert true.margin is not None
                assert said.nodes == 0
                assert said.source == "proof"
                assert said.lower <= true.margin <= said.upper
                for move in said.moves:
                    after = ks.solve(position.play(move.field)).margin
                    assert after is not None
                    assert move.lower <= -after <= move.upper
                follows = (position.turn == "red") == ours
                # Who follows the proof has what was promised at the root: 2 for red.
                promised = 2 if position.turn == "red" else -2
                assert (said.lower >= promised) if follows else (said.upper <= promised)
                field = said.best if follows else draw.choice(position.legal_fields)
                assert field is not None
                position = position.play(field)
        assert len(proof.probe(proof.root).line) > 10
        (first,) = proof.probe(proof.root, line=False).line
        assert first == proof.probe(proof.root).line[0] == proof.probe(proof.root).best
        end = proof.root.play_all(" ".join(proof.probe(proof.root).line))
        assert end.is_over
        assert end.score().margin == 2
        ways = [
            f"{a} {b}" for a in proof.root.legal_fields for b in proof.root.play(a).legal_fields
        ]
        absent = ways[proof.bounds_many([proof.root.play_all(way) for way in ways]).index(None)]
    with open_proof(path) as source:
        given = ks.solve(source.root, source.scoring, database=source)
        assert (given.margin, given.nodes) == (source.value, 0)
    command = ["solve", "--layout", SMALL, "--proof", str(path), "--json"]
    ran = kulami(*command, "--moves", absent)
    assert (ran.code, "does not hold" in ran.err) == (2, True)


@pytest.mark.parametrize("count", [30, pytest.param(300, marks=pytest.mark.nightly)])
def test_the_field_that_it_names_keeps_what_it_says(count: int, tmp_path: Path) -> None:
    """The marbles alone may promise more than the proof does, but not of the field it chose."""
    draw = random.Random(5)
    exact = 0
    for position, scoring in random_positions(6, count, 14):
        with open_proof(proved(tmp_path, position, scoring, draw.choice((0, 2, 4)))) as proof:
            for _ in range(20):
                here = position
                while not here.is_over:
                    try:
                        said = proof.probe(here, line=False, every_move=draw.random() < 0.1)
                    except NotInDatabaseError:
                        break
                    if said.best is not None:
                        after = ks.solve(here.play(said.best), scoring).margin
                        assert after is not None
                        assert -after >= said.lower
                        assert not said.moves or said.moves[0].field == said.best
                        exact += said.exact
                    field = draw.choice(here.legal_fields)
                    here = here.play(said.best or field if draw.random() < 0.6 else field)
    assert exact > 20 * count


# Semi-strong proofs


def judged_right(path: Path, games: int, seed: int) -> int:
    """Games in which one side plays its best, the other at random: every position is known.

    Returns how often the other side lost something.
    """
    draw = random.Random(seed)
    mistakes = 0
    with open_proof(path) as proof:
        for _ in range(games):
            position = proof.root
            ours = draw.choice(("red", "black"))
            while not position.is_over:
                said = proof.probe(position, every_move=True)
                true = ks.solve(position, proof.scoring, every_move=True)
                assert said.margin == true.margin
                assert said.nodes == 0
                best = {move.field for move in true.moves if move.margin == true.margin}
                assert said.best in best
                theirs = position.turn != ours
                field = draw.choice(position.legal_fields if theirs else sorted(best))
                mistakes += field not in best
                position = position.play(field)
    return mistakes


@pytest.mark.parametrize(
    ("count", "free"), [(12, 9), pytest.param(500, 12, marks=pytest.mark.nightly)]
)
def test_whoever_errs_is_punished_from_the_file(count: int, free: int, tmp_path: Path) -> None:
    mistakes = 0
    for number, (position, scoring) in enumerate(random_positions(12, count, free)):
        threads = 1 + number % 2
        path = proved(tmp_path, position, scoring, number % 4, semi_strong=True, threads=threads)
        mistakes += judged_right(path, 3, number)
        if number % 4 == 0:
            with open_proof(path) as proof:
                agree(path, proof.value)
    assert mistakes > count / 4


@pytest.mark.parametrize(
    ("count", "seed"), [(30, 3), pytest.param(1500, 4, marks=pytest.mark.nightly)]
)
def test_what_endings_note_proves_claims(count: int, seed: int, tmp_path: Path) -> None:
    """Positions long enough for endings whose notes the proof uses, most with one side ahead."""
    # Here two positions differ in the newest marble alone.
    kfn = "AAABBBCCC/DDDEEEFFF/GGGHHHIII 1br1b1r2/1rbr1bb1r/1r3b3 r f3,b3"
    proved(tmp_path, ks.Position.from_kfn(kfn), "0", 0, semi_strong=True)
    draw = random.Random(seed)
    for number in range(count):
        position = ks.Position(ks.Layout.random(draw.randrange(1 << 30), irregular=number % 3 == 0))
        while not position.is_over and position.plies_left > 14:
            position = position.play(draw.choice(position.legal_fields))
        if not position.is_over:
            scoring = ("0", "1", "2", "chains")[number % 4]
            semi_strong = draw.random() < 0.5
            proved(tmp_path, position, scoring, draw.choice([0, 2, 3]), semi_strong=semi_strong)


def test_an_outcome_is_not_proved_semi_strongly(tmp_path: Path, sound: bytes) -> None:
    path = tmp_path / "it.kpf"
    command = ["prove", str(path), "--layout", SMALL, "--semi-strong"]
    ran = kulami(*command, "--goal", "outcome")
    assert (ran.code, "margin" in ran.err) == (2, True)
    assert not believed(path, resummed(sound, {"value": "win", "semi_strong": True}))
    assert good(*command, "--json").answer["semi_strong"] is True
    with open_proof(path) as proof:
        assert proof.semi_strong


# What is not true


def parts(raw: bytes) -> tuple[dict[str, Any], bytes]:
    """The header and the choices of a proof."""
    end = 64 + struct.unpack_from("<I", raw, 12)[0]
    return json.loads(raw[64:end]), raw[end:]


def resummed(raw: bytes, change: dict[str, Any], choices: bytes | None = None) -> bytes:
    """A proof with another header, and other choices, whose checksums are right."""
    head, own = parts(raw)
    section = own if choices is None else choices
    head |= change
    head["sections"][0] |= {"sha256": hashlib.sha256(section).hexdigest(), "bytes": len(section)}
    head["steps"] = change.get("steps", sum(map(sum, head["plies"])))
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 64)
    fixed = struct.pack("<8sIIQQ", raw[:8], 1, len(text), 64 + len(text) + len(section), 0)
    return fixed + hashlib.sha256(fixed + text).digest() + text + section


def believed(path: Path, raw: bytes) -> bool:
    """Whether the checkers believe a file; they have to agree, and to say why not."""
    path.write_bytes(raw)
    try:
        with open_proof(path) as proof:
            problems = proof.verify().problems
    except KulamiError as error:
        problems = (str(error),)
    try:
        tiny.check_file(raw)
    except (ValueError, KeyError, TypeError, IndexError, struct.error):
        assert [len(one.splitlines()) for one in problems] == [1]
    else:
        assert not problems
    return not problems


def position_of_lies() -> ks.Position:
    return ks.Position(ks.Layout.parse("AABB/AACC/DDCC/DDEE")).play_all("a1 c1")


@pytest.fixture(scope="module", params=[False, True], ids=["one line", "semi-strong"])
def sound(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A proof that is small enough for all checkers."""
    folder = tmp_path_factory.mktemp("proof")
    return proved(folder, position_of_lies(), "1", 2, semi_strong=request.param).read_bytes()


@pytest.mark.parametrize("times", [60, pytest.param(1000, marks=pytest.mark.nightly)])
def test_no_damage_is_believed(times: int, sound: bytes, tmp_path: Path) -> None:
    draw = random.Random(times)
    path = tmp_path / "it.kpf"
    assert believed(path, sound)
    for number in range(times):
        raw = bytearray(sound)
        if number % 3 == 0:
            raw[draw.randrange(len(raw))] ^= 1 << draw.randrange(8)
        elif number % 3 == 1:
            del raw[draw.randrange(len(raw)) :]
        else:
            at = draw.randrange(len(raw))
            raw[at:at] = bytes(draw.randrange(256) for _ in range(draw.randint(1, 64)))
        assert not believed(path, bytes(raw))


def test_no_other_value_root_or_rules_are_believed(sound: bytes, tmp_path: Path) -> None:
    """Unless they happen to make the same value true, with the same counts of steps."""
    path = tmp_path / "it.kpf"
    said, _ = parts(sound)
    value = said["value"]
    layout, marbles, turn, last = said["root"].split()
    outcome = "win" if value > 0 else "loss" if value < 0 else "draw"
    wrong = {*range(value - 9, value + 10), "win", "draw", "loss"} - {value, outcome}
    lies: list[dict[str, Any]] = [{"value": other} for other in wrong]
    boards = ["AABB/AACC/DDCC/DDEF", "ABCC/ABDD/EEDD/FFFG", "AABB/AABB/CCDD/CCDD", "AABB/AACC/DDCC"]
    lies += [{"root": f"{one} {marbles} {turn} {last}"} for one in boards]
    lies += [{"scoring": other} for other in ("0", "2", "chains", "3")]
    lies += [{"root": f"{layout} {marbles} {turn} {other}"} for other in ("c1", "a1", "a1,c1", "-")]
    lies += [{"marbles": other} for other in (1, 2, 5, 0)] + [{"short_end": True, "marbles": 4}]
    lies += [{"depth_left": other} for other in (0, 1, 3, 20, -1, 65)]
    lies += [{"plies": [*said["plies"], [0, 0, 0]]}, {"plies": said["plies"][:-1]}, {"plies": []}]
    lies += [{"steps": said["steps"] + 1}, {"semi_strong": not said.get("semi_strong", False)}]
    for lie in lies:
        raw = resummed(sound, lie)
        if believed(path, raw):
            with open_proof(path) as proof:
                assert ks.solve(proof.root, proof.scoring).margin == proof.value == value, lie
            assert tiny.check_file(raw) == value
    assert believed(path, resummed(sound, {"value": value}))
    for lie in ({"marbles": 65}, {"game": "malawi"}, {"extra": 1}, {"semi_strong": 3}):
        path.write_bytes(resummed(sound, lie))
        with pytest.raises(KulamiError):
            open_proof(path)


@pytest.mark.parametrize("times", [30, pytest.param(1000, marks=pytest.mark.nightly)])
def test_other_choices_prove_nothing_else(times: int, sound: bytes, tmp_path: Path) -> None:
    """Other moves may be as good; what they prove is the same value, which is true."""
    draw = random.Random(times)
    said, own = parts(sound)
    refused = 0
    for _ in range(times):
        choices = bytearray(own)
        at = draw.randrange(said["sections"][0]["bits"])
        choices[at >> 3] ^= 1 << (at & 7)
        lie = draw.choice((0, 0, 1, -1))
        raw = resummed(sound, {"value": said["value"] + lie}, bytes(choices))
        good = believed(tmp_path / "it.kpf", raw)
        assert not (good and lie)
        refused += not good
    assert refused > times * 2 / 3


def test_what_is_wrong_is_said(sound: bytes, tmp_path: Path) -> None:
    path = tmp_path / "it.kpf"
    said, _ = parts(sound)
    (part,) = said["sections"]
    three = proved(tmp_path, ks.Position(ks.Layout.parse("ABC/DEF")).play("a1"), "0", 0)
    beyond, (first, *choices) = three.read_bytes(), parts(three.read_bytes())[1]
    for words, raw in {
        "worth": resummed(sound, {"value": said["value"] + 1}),
        "choices end": resummed(sound, {"sections": [part | {"bits": part["bits"] - 1}]}),
        "left over": resummed(sound, {"sections": [part | {"bits": part["bits"] + 1}]}),
        "steps Ge": resummed(sound, {"plies": said["plies"][::-1]}),
        "none of its moves": resummed(beyond, {}, bytes([first | 3, *choices])),
    }.items():
        assert not believed(path, raw)
        ran = kulami("verify", str(path), "--json")
        assert (ran.code, ran.answer["ok"], ran.answer["value"]) == (1, False, None)
        assert words in ran.answer["problems"][0]
    path.write_bytes(sound + b"xx")
    ran = kulami("verify", str(path))
    told = f"kulami: error: {path}: 2 bytes too long; copy or build it again\n"
    assert (ran.code, ran.err) == (1, told)


def test_a_question_that_is_given_up_is_taken_up_by_the_next(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kulami_solver.kulami.proof.proof._AT_A_TIME", 1000)
    told: list[tuple[int, int]] = []

    def give_up(done: int, of: int) -> None:
        told.append((done, of))
        if len(told) % 3 == 0:
            raise TimeoutError

    with open_proof(repository / "data" / "proofs" / "5x5-0.kpf") as proof:
        known = proof.probe(proof.root)
        late = proof.root.play_all(known.line[:14])
    with open_proof(repository / "data" / "proofs" / "5x5-0.kpf") as proof:
        found = None
        for _ in range(100):
            with contextlib.suppress(TimeoutError):
                found = proof.probe(late, line=False, progress=give_up)
                break
        assert found is not None
        assert len(told) > 15  # so it was given up five times
        assert told == sorted(told)
        assert {of for _, of in told} == {proof.steps}
        assert 0 < told[0][0] < told[-1][0] < proof.steps
        assert (found.margin, found.best) == (known.margin, known.line[14])
        assert proof.probe(proof.root).line == known.line


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A proof as text, all of whose steps are needed."""
    with open_proof(proved(tmp_path_factory.mktemp("text"), position_of_lies(), "1", 2)) as proof:
        return list(proof.text())


def lies_in_text(
    lines: list[str], draw: random.Random, count: int = 20
) -> Iterator[tuple[str, list[str]]]:
    """What is wrong, and the text; lies about so many steps, up to four about each."""
    layout, claim, *body = lines
    *about, value = claim.split()
    for lie in (int(value) - 1, int(value) + 1):
        yield "another value", [layout, " ".join([*about, str(lie)]), *body]
    for _ in range(count):
        at = draw.randrange(len(body))
        before, after = [layout, claim, *body[:at]], body[at + 1 :]
        yield "a step is missing", [*before, *after]
        words = body[at].split()
        if words[0] in "GL":
            yield "a step before what it uses", [layout, claim, body[at], *body[:at], *after]
            better = str(int(words[5]) + (99 if words[0] == "G" else -99))
            lie_line = " ".join([*words[:5], better, *words[6:]])
            yield "a bound that does not follow", [*before, lie_line, *after]
        if words[0] == "G":
            occupied = " ".join([*words[:6], words[3].split(",")[0]])
            yield "an illegal move", [*before, occupied, *after]
    more, root = str(int(value) + 5), " ".join(about[1:])
    own = f"G {root} {more} {body[-1].split()[-1]}"
    yield "a step that uses a later one", [layout, " ".join([*about, more]), own, *body]
    yield "a game that is not over", [layout, claim, f"P {root}"]


@pytest.mark.parametrize("count", [10, pytest.param(100, marks=pytest.mark.nightly)])
def test_no_lie_in_text_is_believed(count: int, lines: list[str]) -> None:
    assert tiny.check_text(lines)
    told = list(lies_in_text(lines, random.Random(5), count))
    assert len(told) > 2 * count
    for what, lie in told:
        with pytest.raises(ValueError, match=r"line \d+:|the root"):
            raise AssertionError(f"{what}: believed {tiny.check_text(lie)}")


# The commands


def test_prove_verify_and_export(tmp_path: Path) -> None:
    path = tmp_path / "small.kpf"
    assert not is_proof(path)
    said = good("prove", str(path), "--layout", SMALL, "--json").answer
    assert said["value"] == 2
    assert said["steps"] == said["ge"] + said["le"] + said["play"]
    assert said["bytes"] == path.stat().st_size
    assert is_proof(path)
    checked = good("verify", str(path), "--json").answer
    assert (checked["ok"], checked["value"], checked["steps"]) == (True, 2, said["steps"])
    assert tiny.check_text(good("export", str(path), "--text").out.splitlines()) == "2"


def test_what_is_not_sound_is_not_shown(sound: bytes, tmp_path: Path) -> None:
    """Not a line of it."""
    path = tmp_path / "it.kpf"
    for content, said in (
        (sound[:-1] + bytes([sound[-1] ^ 1]), "damaged, what is at byte"),
        (bytes(range(256)), "not a proof of Kulami"),
    ):
        path.write_bytes(content)
        ran = kulami("export", "--text", str(path))
        assert (ran.code in (1, 2), ran.out, len(ran.err.splitlines())) == (True, "", 1)
        assert said in ran.err
    assert "FILE: cannot write /dev/full" in kulami("prove", "/dev/full", "--layout", "A").err


def whole_game_to_play_out(path: Path) -> Path:
    """A proof of one step, `Play` of a whole game on the square: it would take for ever."""
    wanted = ToProve(ks.Position(ks.Layout.square()), ks.Scoring.LEVEL0, "margin", depth=64)
    write_proof(path, wanted, FoundProof(2, [(0, 0, 1)], b"", 0, nodes=0, solving=0.0))
    return path


def test_playing_out_ends_when_it_is_told_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = whole_game_to_play_out(tmp_path / "long.kpf")
    stop = threading.Event()
    with open_proof(path) as proof, concurrent.futures.ThreadPoolExecutor(2) as others:
        with pytest.raises(Stopped):
            proof.probe(proof.root, time=0.05)
        working = [others.submit(proof.probe, proof.root, stop=stop) for _ in range(2)]
        stop.set()  # the lock is free, so this thread gets here; one of the two waits for the other
        for future in working:
            with pytest.raises(Stopped):
                future.result(timeout=20)

        threading.Timer(0.05, signal.pthread_kill, (threading.get_ident(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            proof.verify()
        monkeypatch.setattr(proof_module, "_MOST_LOOKS", 2)
        assert "takes more than 131072 positions" in proof.verify().problems[0]
        with pytest.raises(ProofError, match="smaller --depth-left"):
            proof.probe(proof.root)
