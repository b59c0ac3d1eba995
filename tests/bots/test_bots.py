"""The protocol, and the built-in bots."""

from __future__ import annotations

import itertools
import random
import re
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kulami_solver import Layout, Position, Scoring, build, malawi, open_database, solve
from kulami_solver.adapters.ugi import Server
from kulami_solver.bots import (
    BotCrashed,
    BotError,
    Clock,
    Greedy,
    IllegalAnswer,
    Master,
    MonteCarlo,
    Perfect,
    Player,
    Thought,
    make_player,
)
from kulami_solver.bots.arena import Opening
from kulami_solver.bots.fingerprint import bot_fingerprint
from kulami_solver.bots.kulami import solving
from kulami_solver.bots.kulami.match import draw_opening
from kulami_solver.bots.kulami.solving import Solving
from kulami_solver.bots.kulami.suite import read_suite
from kulami_solver.bots.naming import bots_of
from kulami_solver.game import NOBODY, Budget, Question, load_game
from kulami_solver.kulami.estimate.learned_tree import LearnedTree
from kulami_solver.kulami.game import KulamiState, state_of
from kulami_solver.kulami.proof.proof import open_proof
from kulami_solver.kulami.solve.evaluation import viewing
from kulami_solver.kulami.solve.solution import Goal, Solution
from kulami_solver.kulami.solve.solver import Solver

START = Position(Layout.rulebook()).play_all("d6 d3 i3")
NAMES = {
    "kulami": "random greedy alphabeta:2 alphabeta mcts:50 mcts perfect master master:2000 level:2",
    "malawi": "random greedy perfect",
    "just4fun": "random greedy advised",
}
CLOCKS = (Clock(), Clock(nodes=40), Clock(depth=1), Clock(nodes=1), Clock(seconds=0.02))


@pytest.mark.parametrize("game", NAMES)
def test_bots_answer_each_question_as_fresh_ones_do(game: str) -> None:
    """Whatever they were asked before, with whatever budget; and legally under every clock."""
    if game == "kulami":
        states: list[Any] = [case.state for case in read_suite(count=12)]
        boards = (Position(Layout.square()), START, Position(Layout.parse("AB")))
        early = [state_of(one, two) for one in boards for two in (Scoring.LEVEL0, Scoring.LEVEL2)]
    else:
        board = {"board": "2x6"} if game == "malawi" else {"board": "3x3", "stones": 4, "line": 3}
        states, early = [load_game(game, **board).start()], []
        while len(states) < 8 and states[-1].moves:
            states.append(states[-1].play(states[-1].moves[-1]))
        states = [state for state in states if state.to_move >= 0]
    used = {name: make_player(name, game=game) for name in NAMES[game].split()}
    if game == "kulami":
        data = Path(__file__).parents[2] / "data"
        for path in ("4x5-level0.kdb", "proofs/5x5-0.kpf"):
            used[f"perfect:{data / path}"] = make_player(f"perfect:{data / path}")

    def ask(name: str, state: Any, clock: Clock) -> None:
        begun = time.monotonic()
        chosen = used[name].choose(state, clock)
        assert state.play(chosen)
        assert clock.seconds is None or time.monotonic() - begun < 3
        if clock.seconds is None and state in states:
            fresh = make_player(name, game=game)
            assert fresh.choose(state, clock) == chosen
            scores = [one.thought and one.thought.score for one in (fresh, used[name])]
            assert scores[0] == scores[1]

    for name, state, clock in itertools.product(used, early, CLOCKS):
        ask(name, state, clock)

    question = st.tuples(st.sampled_from(range(len(states))), st.sampled_from(CLOCKS))

    @given(st.sampled_from([*used]), st.lists(question, min_size=2, max_size=4))
    @settings(max_examples=40)
    def run(name: str, questions: list[tuple[int, Clock]]) -> None:
        for place, clock in questions:
            ask(name, states[place], clock)

    run()


@pytest.mark.parametrize("kind", ["database", "proof", "malawi"])
def test_sources_answer_each_question_as_fresh_ones_do(kind: str, tmp_path: Path) -> None:
    data = Path(__file__).parents[2] / "data"
    path, begin = {
        "database": (data / "3x4-level2.kdb", None),
        "proof": (data / "proofs" / "5x5-0.kpf", None),
        "malawi": (tmp_path / "2x4.kdb", load_game("malawi", board="2x4").start()),
    }[kind]
    if begin is not None:
        malawi.build(path, malawi.Board(2, 4))
    opened = {"database": open_database, "proof": open_proof, "malawi": malawi.Database}[kind]
    with opened(path) as used:
        root = begin or state_of(used.root, used.scoring)

        @given(st.data())
        @settings(max_examples=12)
        def run(data: st.DataObject) -> None:
            for _ in range(2):
                state = root
                for _ in range(data.draw(st.integers(0, 9))):
                    after = state.play(data.draw(st.sampled_from(state.moves)))
                    state = state if after.to_move == NOBODY else after
                budget = Budget(nodes=data.draw(st.sampled_from((None, 1, 500))))
                question = Question(state, every_move=data.draw(st.booleans()), budget=budget)
                with opened(path) as fresh:
                    assert told(used.answer(question)) == told(fresh.answer(question))

        run()


def told(answer: Any) -> Any:
    """What an answer says."""
    if answer is None:
        return None
    moves = [(str(move.move), move.lower, move.upper) for move in answer.moves]
    return answer.lower, answer.upper, str(answer.best), [*map(str, answer.line)], moves


def test_greedy_takes_what_is_there() -> None:
    chosen = Greedy().choose(Position(Layout.parse("AAAB/CCDD")))
    assert chosen[0] in "abc"
    assert chosen[1] == "1"


def test_the_way_through_a_proof_has_the_time_of_a_move(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kulami_solver.kulami.proof.proof._AT_A_TIME", 1)
    path = repository / "data" / "proofs" / "5x5-0.kpf"
    stopped = threading.Event()
    stopped.set()
    with open_proof(path) as proof:
        line = proof.probe(proof.root).line
        late = proof.root.play_all(line[:8])
    for budget, known in (
        (Budget(), True),
        (Budget(60.0, stop=threading.Event()), True),
        (Budget(0.0), False),
        (Budget(stop=stopped), False),
    ):
        with open_proof(path) as proof:
            found = proof.answer(Question(state_of(late, proof.scoring), budget=budget))
            assert (found is not None) == known
            assert found is None or (found.best, found.exact) == (line[8], True)


def test_perfect_looks_positions_up_in_a_database(tmp_path: Path) -> None:
    start = Position(Layout.parse("AABB/CCBB/CCDE"))
    path = tmp_path / "small.kdb"
    build(path, start)
    player = make_player(f"perfect:{path}")
    with open_database(path) as database:
        position = start
        while not position.is_over:
            field = player.choose(state_of(position), Clock())
            assert field == database.probe(position).best
            position = position.play(field)
    # Nothing is known of another scoring: the search answers.
    after = start.play(player.choose(state_of(start, Scoring.CHAINS), Clock()))
    assert solve(after, Scoring.CHAINS).margin == -(solve(start, Scoring.CHAINS).margin or 0)


def test_perfect_asks_several_folders(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What they hold of other games is left aside."""
    monkeypatch.setenv("HOME", str(tmp_path))
    start = Position(Layout.parse("AABB/CCBB/CCDE"))
    build(tmp_path / "small.kdb", start)
    malawi.build(tmp_path / "other.kdb", malawi.Board(2, 3))
    proofs = repository / "data" / "proofs"
    bot = f"perfect:{proofs}:~"
    assert len(bot_fingerprint(bot)["files"]) == len((*proofs.glob("*.kpf"), *tmp_path.iterdir()))
    player = make_player(bot)
    with open_proof(proofs / "5x5-0.kpf") as proof:
        for root in (proof.root, start):
            assert solve(root.play(player.choose(state_of(root), Clock()))).margin is not None
            assert player.thought is not None
            assert (player.thought.proved, player.thought.nodes) == (True, None)
    assert make_player("perfect:~", game="malawi").name == "perfect:~"
    (tmp_path / "small.kdb").unlink()
    with pytest.raises(BotError, match="a database of Malawi, not of Kulami"):
        make_player("perfect:~")
    (tmp_path / "other.kdb").unlink()
    with pytest.raises(BotError, match=r"no file there ends in \.kdb or \.kpf"):
        make_player("perfect:~")


@pytest.mark.parametrize("kind", ["kdb", "kpf"])
def test_a_damaged_file_is_done_without(
    kind: str, repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It searches instead, and says so once."""
    path = tmp_path / f"damaged.{kind}"
    start = Position(Layout.parse("ABBBC/ABBBC/ADDEE/FDDEE/FDDGG"))
    if kind == "kdb":
        start = Position(Layout.parse("AABB/CCBB/CCDE"))
        build(path, start)
    content = (path if kind == "kdb" else repository / "data" / "proofs" / "5x5-0.kpf").read_bytes()
    middle = len(content) // 2
    path.write_bytes(
        content[:middle] + bytes(byte ^ 0xFF for byte in content[middle:-64]) + content[-64:]
    )
    position, said = start, list[str]()
    server = Server(f"perfect:{path}", said.append)
    while not position.is_over:
        said.clear()
        server.serve([f"position fen {position.kfn()}", "go", "isready"])
        assert not server.failed
        (move,) = [line.split()[1] for line in said if line.startswith("bestmove ")]
        after = position.play(move)
        if kind == "kdb":
            assert "info string proved" in said
            assert -(solve(after).margin or 0) == solve(position).margin
        position = after
    (told,) = capsys.readouterr().err.splitlines()
    assert told.startswith(f"perfect:{path}: {path}: ")
    assert told.endswith("; it searches instead")


@pytest.mark.parametrize("scoring", ["0", "2"])
def test_perfect_plays_from_a_proof(repository: Path, scoring: str) -> None:
    path = repository / "data" / "proofs" / f"5x5-{scoring}.kpf"
    chance = random.Random(2)
    player = make_player(f"perfect:{path}")
    with open_proof(path) as proof:
        for side in ("red", "black"):
            position, looked_up = proof.root, 0
            while not position.is_over:
                field = chance.choice(position.legal_fields)
                if position.turn == side:
                    field = player.choose(state_of(position, proof.scoring), Clock())
                    after = solve(position.play(field), scoring).margin
                    assert after == -(solve(position, scoring).margin or 0)
                    assert player.thought is not None
                    looked_up += player.thought.nodes is None  # nothing was searched
                position = position.play(field)
            assert looked_up or side == "black"


def test_a_field_that_only_keeps_a_bound_is_not_called_proved(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = repository / "data" / "proofs" / "5x5-0.kpf"
    monkeypatch.setattr(Solving, "usual", 0)  # nothing is short enough to be searched
    chance = random.Random(4)
    player = make_player(f"perfect:{path}")
    with open_proof(path) as proof:
        root = proof.root
    kept = 0
    for _ in range(5):
        position = root
        while not position.is_over:
            field = chance.choice(position.legal_fields)
            if position.turn == "red":
                field = player.choose(state_of(position), Clock())
                after = solve(position.play(field)).margin
                assert player.thought is not None
                if player.thought.proved:
                    assert after == -(solve(position).margin or 0)
                elif player.thought.nodes is None:
                    assert after is not None
                    assert after <= -1  # the value of the board
                    kept += 1
            position = position.play(field)
    assert kept


def drawn(seed: int, plies: int) -> Position:
    """A position after so many marbles at random."""
    state = draw_opening(seed, plies=plies).end
    assert isinstance(state, KulamiState)
    return state.position


def late(plies: int, seed: int = 0) -> Position:
    """A position with so many plies to come."""
    position = drawn(seed, plies=56 - plies)
    assert min(position.supply, position.free_count) == plies
    return position


def test_perfect_uses_its_whole_clock_before_it_can_solve() -> None:
    begun = time.monotonic()
    perfect = Perfect()
    perfect.choose(late(50), clock=Clock(seconds=0.4))
    assert time.monotonic() - begun >= 0.39
    assert not perfect.proved


def at_once(seconds: float) -> Clock:
    """A clock of so many seconds, of which playouts take next to none."""
    stop = threading.Event()
    stop.set()
    return Clock(seconds=seconds, stop=stop)


@dataclass
class Asked:
    """Stands for `solve`, and notes what it is asked; answers what it is told to."""

    answer: Callable[[Position, Scoring], Solution]
    calls: list[dict[str, Any]] = field(default_factory=list)

    def __call__(
        self, position: Position, scoring: Scoring, goal: Goal, **options: Any
    ) -> Solution:
        self.calls.append({"goal": goal, **options})
        return self.answer(position, scoring)


def nothing_found(position: Position, scoring: Scoring) -> Solution:
    return solve(position, scoring, nodes=1)


SOLVING: tuple[Callable[[], Solving], ...] = (Perfect, Master)


@pytest.mark.parametrize("made", SOLVING)
@pytest.mark.parametrize(
    ("plies", "seconds", "goal"),
    [(33, 1000.0, "margin"), (33, 50.0, "outcome"), (33, 10.0, None), (20, 5.0, "margin")],
)
def test_perfect_solves_as_soon_as_its_clock_allows(
    made: Callable[[], Solving],
    plies: int,
    seconds: float,
    goal: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = Asked(nothing_found)
    monkeypatch.setattr(solving, "solve", asked)
    position = late(plies)
    assert made().choose(position, clock=at_once(seconds)) in position.legal_fields
    assert [call["goal"] for call in asked.calls] == ([] if goal is None else [goal])
    for call in asked.calls:
        assert 0.5 * seconds < call["time"] < 0.7 * seconds


@pytest.mark.parametrize("bots", [[Perfect(seed=seed) for seed in range(3)], [Master()]])
def test_perfect_chooses_no_field_that_is_proved_worse(
    bots: list[Solving], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A solve that ends early still tells fields apart."""
    told_apart = 0
    for case in read_suite(count=100):
        position, scoring = case.position, case.scoring
        exact = solve(position, scoring)
        loose = replace(exact, line=(), upper=exact.upper + 40)
        if len(position.legal_fields) < 2 or exact.best is None:
            continue
        monkeypatch.setattr(solving, "solve", Asked(lambda *_, found=loose: found))
        solver = Solver(position, scoring, 1 << 20)
        bounds = {name: solver.bounds(position.play(name)) for name in case.values}
        worse = {name for name, known in bounds.items() if -known.lower < exact.lower}
        told_apart += bool(worse)
        for bot in bots:
            assert bot.choose(position, scoring=scoring, clock=at_once(5)) not in worse
    assert told_apart > 3


@pytest.mark.parametrize("made", SOLVING)
def test_perfect_does_not_think_about_the_only_field_left(made: Callable[[], Solving]) -> None:
    only = late(38, seed=37)
    assert len(only.legal_fields) == 1
    begun = time.monotonic()
    perfect = made()
    assert perfect.choose(only, clock=Clock(seconds=60)) == only.legal_fields[0]
    assert time.monotonic() - begun < 30
    assert perfect.proved


@pytest.mark.parametrize("made", SOLVING)
def test_perfect_takes_a_win_that_is_proved(
    made: Callable[[], Solving], monkeypatch: pytest.MonkeyPatch
) -> None:
    for case in [case for case in read_suite(count=100) if max(case.values.values()) > 0][:10]:
        exact = solve(case.position, case.scoring, "outcome")
        assert exact.outcome == "win"
        early = replace(exact, goal="margin", lower=1, upper=exact.upper + 1)
        monkeypatch.setattr(solving, "solve", Asked(lambda *_, found=early: found))
        chosen = made().choose(case.position, scoring=case.scoring, clock=Clock(seconds=5))
        assert case.values[chosen] > 0


@pytest.mark.parametrize("made", SOLVING)
def test_perfect_stopped_while_it_solves_has_thought_before(made: Callable[[], Solving]) -> None:
    stop = threading.Event()
    perfect = made()
    threading.Timer(1.3, stop.set).start()
    begun = time.monotonic()
    perfect.choose(late(27), clock=Clock(seconds=600, stop=stop))
    assert time.monotonic() - begun < 10
    assert perfect.thought is not None
    assert perfect.thought.nodes is not None
    assert perfect.thought.nodes > 1000


def test_monte_carlo_chooses_among_the_fields_it_is_given() -> None:
    fields = START.legal_fields
    for among in (fields[:1], fields[1:3], fields[-1:]):
        bot = MonteCarlo(100)
        assert bot.choose(START, among=among) in among
        assert bot.thought is not None
        assert bot.thought.nodes == 100
    with pytest.raises(ValueError, match="there is no field to look at"):
        MonteCarlo(100).choose(START, among=["d6"])


class TestCompiled:
    """What the compiled searches promise."""

    def tree(self, scoring: Scoring = Scoring.LEVEL0, seed: int = 0) -> LearnedTree:
        return LearnedTree(viewing(START.layout.geometry, scoring), seed)

    def searches(self, **limits: Any) -> list[Callable[[], object]]:
        solver = Solver(START, Scoring.LEVEL0, 1 << 16)
        solver.bounds(START)
        deepening, tree = solver.look_ahead(1 << 20), self.tree()
        return [
            lambda: tree.look(*START.view, START.supply, **limits),
            lambda: deepening.look(**limits),
        ]

    def test_the_seed_is_of_the_games_at_random(self) -> None:
        for scoring in Scoring:
            one, two, other = (
                self.tree(scoring, seed).look(*START.view, START.supply, 2000)
                for seed in (-1, -1, 1 << 70)
            )
            assert one == two
            assert (one == other) == (not scoring.area)

    def test_other_threads_run_meanwhile(self) -> None:
        for search in self.searches(seconds=0.5):
            thread = threading.Thread(target=search)
            thread.start()
            turns = 0
            while thread.is_alive():
                time.sleep(0.001)
                turns += 1
            thread.join()
            assert turns > 10


def raising(error: BaseException, name: str = "broken one") -> Any:
    """A bot that raises it, whatever it is told."""

    class Broken:
        def choose(self, position: Position) -> str:
            raise error

        def new_game(self) -> None:
            raise error

    Broken.__name__ = name
    return Broken()


class SilentError(Exception):
    """Cannot be told."""

    def __str__(self) -> str:
        raise ValueError


def test_what_gives_no_move_is_told_in_one_line() -> None:
    for answer in (None, 3.5, "banana", "d6", 99, -1, True, b"d4", ["d4"]):
        with pytest.raises(IllegalAnswer, match="strange answers"):
            Player(lambda position, answer=answer: answer, "strange").choose(state_of(START))
    for error, said in (
        (ZeroDivisionError("oh\nno"), "raises ZeroDivisionError: oh no"),
        (SystemExit(3), "raises SystemExit: 3"),
        (SilentError(), "raises SilentError"),
    ):
        player = Player(raising(error))
        with pytest.raises(BotCrashed, match=f"^broken one {said}$"):
            player.choose(state_of(START))
        with pytest.raises(BotCrashed, match=rf"^broken one: new_game\(\) {said}$"):
            player.new_game()
    with pytest.raises(BotError, match="has no method choose"):
        Player(object())
    for name in (None, 3, "", "alphabeta:0", "alphabeta:65", "alphabeta:x", "mcts:", "greedy:2x"):
        with pytest.raises(BotError, match="is no bot"):
            make_player(name)  # type: ignore[arg-type]


NAN, INF = float("nan"), float("inf")
NO_THOUGHTS: tuple[Any, ...] = (
    *(Thought(("c1",), score=score) for score in (INF, NAN, 1e308, "3")),  # type: ignore[arg-type]
    *(Thought(line) for line in (("c1\nbestmove a1",), (0, 1), None)),  # type: ignore[arg-type]
    *(Thought(("c1",), nodes=nodes) for nodes in (-1, 1.5)),  # type: ignore[arg-type]
    *(
        Thought(("c1",), chances=chances)  # type: ignore[arg-type]
        for chances in ((2.0, -1.0, 0.0), (NAN, 0.0, 1.0), (0.5, 0.5))
    ),
    ValueError("boo"),
    "sure",
)


@pytest.mark.parametrize("thought", NO_THOUGHTS)
def test_an_opinion_that_makes_no_sense_costs_no_game(
    thought: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opinion(bot: object) -> object:
        if isinstance(thought, Exception):
            raise thought
        return thought

    monkeypatch.setattr(Greedy, "thought", property(opinion), raising=False)
    said: list[str] = []
    Server("greedy", said.append).serve(["position fen AAB/CCB r/3 b a1", "go", "quit"])
    assert said == ["bestmove c1"]
    assert Player(Greedy()).thought is None


def test_arguments_by_name() -> None:
    seen: list[dict[str, object]] = []

    class Everything:
        def choose(self, position: Position, **about: object) -> str:
            seen.append(about)
            return position.legal_fields[0]

    class OnlyScoring:
        def choose(self, position: Position, scoring: Scoring) -> str:
            seen.append({"scoring": scoring})
            return position.legal_fields[0]

    clock = Clock(nodes=5)
    for bot in (Everything(), OnlyScoring()):
        Player(bot).choose(state_of(START, Scoring.CHAINS), clock)
    assert seen == [{"scoring": Scoring.CHAINS, "clock": clock}, {"scoring": Scoring.CHAINS}]


BOTS_OF_FILES = {
    "mine.py": "import of_mine, json\nclass Mine:\n    def choose(self, position):\n"
    "        return json.loads(json.dumps(of_mine.pick(position)))\n",
    "of_mine.py": "def pick(p):\n    return p.legal_fields[-1]\n",
    "json.py": "raise SystemExit('in place of the library')\n",
    "a function.py": "def choose(p):\n    return p.legal_fields[0]\n",
    "two.py": "class A:\n    def choose(self, p): ...\nclass B:\n    def choose(self, p): ...\n",
    "none.py": "x = 1\n",
    "bad.py": "\ndef (\n",
    "many.py": "class First:\n    def choose(self, p):\n        return p.legal_fields[0]\n"
    "class Needy(First):\n    def __init__(self, much): ...\n"
    "class Waiting:\n    async def choose(self, p): ...\n"
    "ready = First()\nfive = 5\ndef last(p):\n    return p.legal_fields[-1]\n",
}


@pytest.mark.parametrize("isolated", [False, True])
def test_bots_in_python_files_and_modules(
    isolated: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot's folder is not searched before what the library imports."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    Path("bots").mkdir()
    for file, text in BOTS_OF_FILES.items():
        Path("bots", file).write_text(text)
    for name, place in (
        *(("bots/mine.py", -1), ("bots/mine.py:Mine", -1), ("bots/a function.py", 0)),
        *(("bots.many:First", 0), ("bots.many:ready", 0)),
        *([] if isolated else [("bots.many:last", -1)]),
    ):
        with closing(make_player(name, isolated=isolated)) as player:
            assert player.choose(state_of(START)) == START.legal_fields[place]
            assert player.name == name or place == -1 or " " in name
    if isolated:
        return
    assert set(bot_fingerprint("bots/mine.py")["files"]) >= {"bots/mine.py", "of_mine.py"}
    for name, message in (
        ("bots/two.py", "has the bots A, B: say which"),
        ("bots/two.py:C", "has no 'C'"),
        ("bots/none.py", "'exec python bots/none.py' if it speaks UGI"),
        ("bots/bad.py", "bad.py line 2: invalid syntax"),
        ("bots/absent.py", "absent.py: No such file"),
        ("bots/absent.py:A", "absent.py: No such file"),
        ("bots.many:Needy", "is made without arguments"),
        ("bots.many:Last", "has no 'Last'"),
        ("bots.many:__name__", "is no bot"),
        ("bots.many:five", "bots.many:five, 5, is no bot: it has no method choose"),
        ("bots.many:Waiting", "answers with a coroutine"),
    ):
        with pytest.raises(BotError, match=re.escape(message)):
            make_player(name, isolated=True)


def test_an_opening_never_ends_the_game() -> None:
    for seed in range(30):
        opening = draw_opening(seed, Layout.parse("AAB/CCB"), plies=20)
        assert opening.end.to_move != NOBODY
    assert Opening(opening.start).moves == ()


@pytest.mark.parametrize("game", ["kulami", "malawi", "just4fun"])
def test_a_name_without_one_of_its_letters_is_met_with_the_right_one(game: str) -> None:
    names = bots_of(game)
    for kind in {*names.plain, *names.more}:
        for at in range(len(kind)):
            typed = kind[:at] + kind[at + 1 :]
            for rest in ("", ":3") if kind in names.more else ("",):
                with pytest.raises(BotError, match=f"did you mean '{kind}{rest}'"):
                    make_player(typed + rest, game=game)
                with pytest.raises(BotError, match=f"did you mean '{kind}{rest}'"):
                    make_player(kind.upper() + rest, game=game)
