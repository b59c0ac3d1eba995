"""`kulami grade --html`: the page of graded games."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

import pytest
from command_line import good, kulami
from test_page import Tags
from toy_game import Dice

from kulami_solver import Layout, Position, Scoring
from kulami_solver.bots.case import outcome
from kulami_solver.bots.grade import Grade, grade
from kulami_solver.bots.kulami.suite import Case
from kulami_solver.bots.pages import grade_page
from kulami_solver.errors import catalogue, speaking
from kulami_solver.game import Answer, MoveAnswer, Question, State, load_game
from kulami_solver.kulami.game import state_of

ENGLISH = re.compile(
    r"\b(the|to|with|moves|red|black|wins|legal|field|fields|solved|lost|after|ahead|better|"
    r"game|games|which|proved|becomes|follows|instead|still|costs|cost|judged|estimated|margin)\b"
)
BOARD = "ABBCCD/ABBCCD/ABBCCD/EEFFGG/HHFFGG/HHIIJJ"
START = state_of(Position(Layout.parse(BOARD)))


@pytest.fixture(scope="module")
def played() -> tuple[str, ...]:
    """Random moves, always the same, of a game in which the outcome flips."""
    import random

    for seed in range(100):
        draw = random.Random(seed)
        position = Position(Layout.parse(BOARD))
        moves: list[str] = []
        while not position.is_over:
            moves.append(draw.choice(position.legal_fields))
            position = position.play(moves[-1])
        found = grade(START, moves, nodes=20_000, time=None)
        if found.turning_points and 1 < found.first_ply < len(moves):
            return tuple(moves)
    raise AssertionError("no game flips")


@pytest.fixture(scope="module")
def found(played: tuple[str, ...]) -> Grade:
    return grade(START, played, nodes=20_000, time=None)


def record(moves: tuple[str, ...]) -> str:
    end = Position(Layout.parse(BOARD)).play_all(moves)
    score = {"red": end.score().red, "black": end.score().black}
    told = {"board": BOARD, "level": 0, "first": "red", "moves": moves, "score": score}
    return json.dumps(told) + "\n"


def test_the_page_shows_what_the_grade_says(found: Grade) -> None:
    page = grade_page([(3, found)], "a <b>.jsonl")
    tags = Tags(page)
    assert "<h1>a &lt;b&gt;.jsonl</h1>" in page
    assert f"solved from move {found.first_ply} on" in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "<script" not in page
    # A dot for every position whose value is known, at the height of the value.
    dots = [(float(dot["cx"] or 0), float(dot["cy"] or 0)) for dot in tags.of("dot")]
    assert len(dots) == len(found.moves) + 1
    values = [move.case.best * (1 if move.colour == "red" else -1) for move in found.moves]
    values.append(found.ended.position.score().margin)
    heights = {value: y for value, (_, y) in zip(values, dots, strict=True)}
    for value, (_, y) in zip(values, dots, strict=True):
        assert heights[value] == y
    assert sorted(heights, reverse=True) == sorted(heights, key=lambda value: heights[value])
    # A board for every move that cost something, those that flip the outcome among them.
    boards = [attrs["id"] for attrs in tags.of("blunder")]
    assert boards == [f"game3move{move.ply}" for move in found.moves if move.cost]
    links = [attrs["href"] for tag, attrs in tags.found if tag == "a"]
    assert links == [f"#game3move{move.ply}" for move in found.turning_points]
    assert links
    assert {link[1:] for link in links if link} <= set(boards)
    assert len(tags.of("flip")) == len(links)
    for move in found.moves:
        assert f'<td class="number">{move.ply}</td><td>{move.colour}</td>' in page


def test_estimates_are_marked_as_such(found: Grade) -> None:
    page = grade_page([(1, found)], "x")
    (line,) = Tags(page).of("estimate")
    # All positions before the solved part, and the first one of that.
    assert len((line["points"] or "").split()) == found.first_ply
    assert "estimated, not proved" in page
    whole = grade(found.moves[-2].case.state, found.played[-2:])
    assert "estimated" not in grade_page([(1, whole)], "x")
    # Nothing is solved: then there are estimates alone.
    unsolved = grade(found.begun, found.played[:3], nodes=100, time=None)
    assert unsolved.moves == ()
    page = grade_page([(1, unsolved)], "x")
    assert "no position could be solved in the time" in page
    assert Tags(page).of("dot") == []
    assert len((Tags(page).of("estimate")[0]["points"] or "").split()) == 4


@pytest.mark.parametrize("scoring", list(Scoring))
def test_an_estimate_is_for_the_side_to_move(played: tuple[str, ...], scoring: Scoring) -> None:
    """Where every field wins or every one loses, playouts cannot be of another opinion."""
    found = grade(state_of(START.position, scoring), played, nodes=20_000, time=None)
    sides = set()
    for move in found.moves:
        case = move.case
        opinion = Case.estimate(case.state)
        assert opinion == Case.estimate(case.state)
        assert opinion is not None
        decided = len({outcome(value) for value in case.values.values()}) == 1 and case.best != 0
        if decided and len(found.played) - move.ply < 6:
            assert (opinion > 0) == (case.best > 0)
            sides.add(move.colour)
    assert sides == {"red", "black"} or found.ended.position.score(scoring).margin == 0
    assert Case.estimate(found.ended) is None


def test_many_costly_moves_are_cut_but_never_a_flip(found: Grade) -> None:
    import kulami_solver.bots.pages as module

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "BOARDS", 1)
        page = grade_page([(1, found)], "x")
    boards = [attrs["id"] for attrs in Tags(page).of("blunder")]
    flips = [f"game1move{move.ply}" for move in found.turning_points]
    assert set(flips) <= set(boards)
    assert len(boards) == max(1, len(flips))
    costly = sum(bool(move.cost) for move in found.moves)
    assert f"Moves that cost something: {len(boards)} of {costly}" in page


def test_games_without_moves_or_mistakes() -> None:
    start = load_game("kulami", layout="AAB/CCB").start()
    assert "0 moves" in grade_page([(1, grade(start, []))], "x")
    page = grade_page([(1, grade(start.play("a1"), ["c1"]))], "x")
    assert "Moves that cost something: none" in page
    Tags(page)


@pytest.mark.parametrize("language", ["de", "fr", "es", "nl"])
def test_the_page_speaks_the_language(
    found: Grade, language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = [*found.played[: found.first_ply - 1]]
    games = [(1, found), (2, grade(found.begun, begun, nodes=1))]
    for shown in (games, games[:1], [(3, grade(found.begun, []))]):
        with speaking(language):
            page = grade_page(shown, "x")
        Tags(page)
        assert f'<html lang="{language}">' in page
        texts = re.sub(r"<style>.*?</style>|<[^>]*>", "|", page, flags=re.DOTALL)
        assert not ENGLISH.search(texts), ENGLISH.findall(texts)
        assert not re.search(r"\{\w+[}:!|]", texts)
    assert catalogue(language)["red"] in page
    # The command takes the reader's.
    monkeypatch.setenv("LANGUAGE", language)
    path = tmp_path / "grade.html"
    good("grade", "--layout", "AAB/CCB", "--moves", "a1 c1", "--html", str(path))
    assert f'<html lang="{language}">' in path.read_text(encoding="utf-8")


def test_other_games() -> None:
    start = load_game("malawi", board="2x3").start()

    class Known:
        def answer(self, question: Question) -> Answer:
            worth = {move: 1 if move == "a3xa1" else -1 for move in question.state.moves}
            moves = tuple(MoveAnswer(move, value, value) for move, value in worth.items())
            return Answer(question.state.position, 1, 1, moves=moves)

    page = grade_page([(1, grade(start, ["a3:b3", "b1xb3"], sources=(Known(),)))], "x")
    assert "The points over the game, for red" in page
    assert "estimated" not in page
    assert "a win becomes a loss" in page
    assert '<p class="values"><span class="good">a3xa1 +1</span>' in page
    Tags(page)
    dice = grade(Dice().start(), ["1", "take", "2", "pass"])
    Tags(grade_page([(1, dice)], "x"))


def test_at_the_command_line(played: tuple[str, ...], tmp_path: Path) -> None:
    games, page = tmp_path / "games.jsonl", tmp_path / "page.html"
    late = tuple(played)
    games.write_text(record(late) * 2)
    words = ["grade", str(games), "--time", "0.05", "--html", str(page)]
    plain = good(*words[:-2], "--json").answers
    assert good(*words, "--json").answers != []
    assert len(plain) == 2
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"<h2 id=.game(\d).>", text) == ["1", "2"]
    assert "<h1>games.jsonl</h1>" in text
    good(*words, "--game", "2")
    assert 'id="game1"' not in page.read_text(encoding="utf-8")
    ran = kulami(*words[:-1], str(tmp_path / "no" / "page.html"))
    assert ran.code == 2
    assert "--html: cannot write" in ran.err


def test_malawi_at_the_command_line(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    told = {"board": "2x3", "beads": 2, "moves": ["a3:b3", "b1xb3"], "winner": "black"}
    good("malawi", "grade", "-", "--html", str(page), stdin=json.dumps(told).encode())
    assert "<h1>standard input</h1>" in page.read_text(encoding="utf-8")


def test_in_a_browser(browser: Any, found: Grade, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(grade_page([(1, found)], "x"), encoding="utf-8")
    problems: list[str] = []
    page = browser.new_page()
    page.on("console", lambda message: problems.append(message.text))
    for width, scheme in itertools.product((390, 1280), ("light", "dark")):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        page.goto("about:blank")
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.locator(".flip").first.click()
        move = found.turning_points[0]
        assert page.evaluate("location.hash") == f"#game1move{move.ply}"
        board = page.locator(f"#game1move{move.ply} > svg").bounding_box()
        assert board["width"] > 250
        assert -1 < board["y"] < 900
        ink = page.evaluate("getComputedStyle(document.querySelector('.value-line')).stroke")
        assert ink == ("rgb(51, 41, 31)" if scheme == "light" else "rgb(239, 230, 216)")
    page.close()
    assert problems == []


def played_through(state: State) -> list[str]:
    """A game to its end."""
    played: list[str] = []
    while state.moves:
        played.append(state.moves[len(played) % len(state.moves)])
        state = state.play(played[-1])
    return played


def test_the_curve_is_for_who_began() -> None:
    """Its title, its sides and its heights are those of black, when black began."""
    start = load_game("kulami", layout="ABBC/ABBC/DDEE", first="black").start()
    ended = grade(start, played_through(start))
    page = grade_page([(1, ended)], "x")
    assert "The margin over the game, for black" in page
    above = page.index("black ahead")
    assert above < page.index("red ahead")
    marks = [float(dot["cy"] or 0) for dot in Tags(page).of("dot")]
    values = [move.case.best * (1 if move.colour == "black" else -1) for move in ended.moves]
    values.append(-ended.ended.position.score().margin)
    assert len(set(values)) > 1
    assert [value > values[0] for value in values] == [y < marks[0] for y in marks]


def test_a_grade_says_from_where_it_is_exact_and_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """Positions are counted if nothing is said, so that a busy machine grades alike."""
    start = load_game("kulami", layout=BOARD).start()
    played = played_through(start)
    few, more = (grade(start, played, nodes=nodes) for nodes in (300, 3000))
    assert 1 < more.first_ply < few.first_ply
    for found, nodes in ((few, "300"), (more, "3,000")):
        said = f"solved from move {found.first_ply} on; move {found.first_ply - 1} would take more"
        assert f"{said} than {nodes} positions" in found.text()
        assert f"{said} than {nodes} positions" in grade_page([(1, found)], "x")
    monkeypatch.setattr("kulami_solver.bots.grade.NODES", 300)
    assert grade(start, played).text() == few.text()
    assert "would take" not in grade(few.moves[0].case.state, played[few.first_ply - 1 :]).text()
