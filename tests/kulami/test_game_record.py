"""Games as data: what is written is read back, in JSON and in text, and nothing else is read."""

from __future__ import annotations

import json
import random
import string
from pathlib import Path

import pytest
from command_line import good, kulami
from hypothesis import given, settings
from hypothesis import strategies as st

from kulami_solver import GameRecord, KulamiError, Layout, Position, Scoring
from kulami_solver.bots import Greedy
from kulami_solver.bots.arena import play_game
from kulami_solver.bots.kulami.match import KulamiTerms, draw_opening
from kulami_solver.bots.protocol import Player
from kulami_solver.kulami.game_record import read_games
from kulami_solver.kulami.position.game_text import RecordedMove

START = Position(Layout.parse("AAB/CCB"))
HELD = st.text(st.characters(exclude_categories=["Cs"]))
TEXTS = [
    *("", "  ", "good", "a } b { c \\ d", 'he said "no"', "\n\r\t\x00", "(1. a1) *"),
    "\u2028\x85é☃",
]


def random_line(position: Position, rng: random.Random, depth: int) -> tuple[RecordedMove, ...]:
    moves: list[RecordedMove] = []
    while not position.is_over and (not depth or not moves or rng.random() < 0.7):
        fields = position.legal_fields
        others = []
        while depth < 3 and rng.random() < 0.04:
            others.append(random_line(position, rng, depth + 1))
        name = rng.choice(fields)
        comment = rng.choice(TEXTS) if rng.random() < 0.2 else ""
        moves.append(RecordedMove(name, comment, tuple(others)))
        position = position.play(name)
        if depth == 0 and rng.random() < 0.01:
            break
    return tuple(moves)


def random_game(seed: int) -> GameRecord:
    rng = random.Random(seed)
    layout = Layout.random(seed % 40, irregular=seed % 3 == 0) if seed % 4 else START.layout
    start = Position(layout, rng.choice(["red", "black"]), rng.choice([28, 28, 9]), seed % 7 == 0)
    for _ in range(rng.choice([0, 0, 0, 1, 2, 7])):
        after = start.play(rng.choice(start.legal_fields))
        if after.is_over:
            break
        start = after
    headers = {
        "".join(rng.choices(string.ascii_letters, k=rng.randint(3, 9))): rng.choice(TEXTS)
        for _ in range(rng.choice([0, 1, 4]))
    }
    line, scoring, comment = random_line(start, rng, 0), rng.choice([*Scoring]), rng.choice(TEXTS)
    forfeit = rng.choice([None, None, "red", "black"])
    return GameRecord(start, line, scoring, comment, headers, forfeit)


def check_read_back(games: list[GameRecord]) -> None:
    """In both forms, one by one and all in one file."""
    text = "\n\n".join(game.text() for game in games)
    lines = "\n".join(json.dumps(game.to_json()) for game in games)
    assert list(read_games(text)) == games
    assert list(read_games(lines)) == games
    for game in games[:50]:
        assert GameRecord.from_text(game.text()) == game
        assert GameRecord.from_json(json.loads(json.dumps(game.to_json()))) == game
        assert game.end == game.start.play_all(game.fields)


def test_random_games_are_read_back() -> None:
    games = [random_game(seed) for seed in range(100)]
    assert sum(move.variations != () for game in games for move in game.moves) > 30
    assert {game.result is None for game in games} == {True, False}
    check_read_back(games)


@settings(max_examples=50)
@given(HELD, HELD)
def test_any_comment_and_header_is_read_back(comment: str, header: str) -> None:
    game = GameRecord(START, (RecordedMove("a1", comment),), headers={"Note": header})
    check_read_back([game, game])


def test_what_the_arena_keeps_is_a_game() -> None:
    greedy = Player(Greedy())
    played = play_game((greedy, greedy), draw_opening(7))
    game = GameRecord.from_json(json.loads(json.dumps(KulamiTerms().record(played))))
    assert game.fields == played.moves
    assert game.headers["Red"] == game.headers["Black"] == "greedy"
    assert game.headers["Opening"] == "6"
    check_read_back([game])


@settings(max_examples=200)
@given(st.lists(st.sampled_from(
    ['[Layout "AAB/CCB"]', "[", '"', "{", "}", "(", ")", "a1", "c1", "a2", "c2", "*", "4-2", "\\",
     "1.", "\n", " ", '[Start "x"]', "#"]
), max_size=30).map("".join))  # fmt: skip
def test_random_text_is_read_or_refused(text: str) -> None:
    try:
        games = list(read_games(text))
    except KulamiError as error:
        games = []
        refused = str(error)
    else:
        refused = ""
    assert "\n" not in refused
    if games:
        check_read_back(games)


RECORD = {"board": "AAB/CCB", "level": 0, "first": "red", "moves": ["a1", "a2"]}


# The command line


@pytest.mark.parametrize("names", ["Rot Schwarz", "rouge Noir", "Rojo Negro", "rood Zwart"])
@pytest.mark.parametrize("board", ["Auslage", "Layout", "plateau", "Tablero", "bord"])
@pytest.mark.parametrize("between", ["\n", "\r\n", "\r", "\n> ", "\n> > "])
@pytest.mark.parametrize("blank", [" ", "\xa0", "\t", "  ", "\u200b "])
def test_games_of_mails_in_any_language_are_read(
    names: str, board: str, between: str, blank: str
) -> None:
    red, black = names.split()
    lines = [f"{red}: Ann", f"{black}: Ben", f"{board}: AAB/AAC", "", "1. a1 c1 2. c2"]
    (game,) = read_games(between.join(["", *lines]).replace(" ", blank))
    assert game.headers == {"Red": "Ann", "Black": "Ben"}
    assert game.fields == ("a1", "c1", "c2")


@pytest.mark.parametrize("charset", ["ISO-8859-1", "windows-1252", "cp437", "UTF-8"])
def test_the_encoding_that_a_file_of_boardspace_names_is_taken(
    charset: str, tmp_path: Path
) -> None:
    file = tmp_path / "a.sgf"
    text = f'(;CA[{charset}]\nSU[Kulami 2 1234 102]\nP0[id "J\xf6rg"]\n; P0[1 Dropb W D 4])'
    file.write_bytes(text.encode(charset))
    told = kulami("replay", str(file))
    assert told.code == 1, told.err
    assert "the record stops after move 1" in told.out


def test_the_example_in_the_help_agrees() -> None:
    said = good("replay", "--help").out
    record = " ".join(said[said.index('{"board"') : said.index("}}") + 2].split())
    answer = good("replay", "-", "--json", stdin=record.encode()).answer
    assert (answer["games"], answer["disagree"]) == (1, 0)
