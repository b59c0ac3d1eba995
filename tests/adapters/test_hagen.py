"""A bot on a Hagen server that follows the recorded exchange."""

from __future__ import annotations

import json
import socket
import threading
from typing import Any

import pytest
from command_line import kulami
from hagen_server import Server

from kulami_solver import Layout, Position, Scoring
from kulami_solver.adapters.hagen import Client, Finished, HagenError, Messages
from kulami_solver.bots import BotCrashed, Greedy, Player, Random
from kulami_solver.kulami.replay import check_record


def played(server: Server, **options: Any) -> list[Finished]:
    """Play on a server with a greedy bot."""
    server.start()
    games = list(Client(Player(Greedy()), **options).play("127.0.0.1", server.port, 10))
    server.join(10)
    return games


@pytest.mark.parametrize("client_begins", [True, False])
@pytest.mark.parametrize("fragments", [True, False])
def test_first_player_proposes_a_board(client_begins: bool, fragments: bool) -> None:
    server = Server(client_begins=client_begins, fragments=fragments)
    (game,) = played(server, name="A", layout=Layout.random(3), scoring=Scoring.LEVEL1)
    assert server.failure is None
    assert server.heard[0] == "neuerClient(A)."
    assert (game.how, game.agrees) == ("played", True)
    assert (game.colour, game.opponent) == ("black", "Gegner")
    assert game.scoring is Scoring.LEVEL1
    assert check_record(game.record()).agrees


def test_second_player_is_told_the_board() -> None:
    server = Server(second=True, client_begins=False)
    (game,) = played(server)
    assert server.failure is None
    assert game.scoring is Scoring.LEVEL2
    assert game.start is not None
    assert len(game.start.layout) == 64
    assert check_record(game.record()).agrees


def test_noise_between_the_messages() -> None:
    noted: list[str] = []
    (game,) = played(Server(noise=True, fragments=True), note=noted.append)
    assert game.how == "played"
    assert any("unknown message 'wetterbericht' ignored" in note for note in noted)


def test_a_refused_move_is_replaced_by_another() -> None:
    server = Server(refusals=1)
    (game,) = played(server)
    assert (game.how, game.agrees) == ("played", True)
    moves = [said for said in server.heard if said.startswith("zug")]
    assert moves[0] != moves[1]


def test_three_refusals_in_a_row_resign() -> None:
    server = Server(refusals=3)
    (game,) = played(server)
    assert game.how == "resigned"
    assert server.heard[-1] == "spielaufgabe."


def test_no_other_move_is_left_to_resign_from() -> None:
    """The bot's only legal fields are refused, fewer of them than refusals that resign."""
    server = Server(refusals=2)
    (game,) = played(server, layout=Layout.parse("AA"))
    assert (game.how, game.moves) == ("resigned", [])
    assert server.heard[-1] == "spielaufgabe."


def test_the_opponent_resigns() -> None:
    for ply in (0, 1, 8):
        server = Server(resigns=ply)
        (game,) = played(server)
        assert server.failure is None
        assert (game.how, len(game.moves), game.agrees) == ("resigned", ply, None)
        assert game.record()["score"] == {"red": None, "black": None}


def test_a_game_after_a_resignation_is_broken_off() -> None:
    """The server has hung up then."""
    for server in (Server(resigns=4), Server(refusals=3)):
        games = played(server, games=2)
        assert [game.how for game in games] == ["resigned", "disconnected"]


def test_the_server_hangs_up() -> None:
    (game,) = played(Server(hang_up=9))
    assert (game.how, len(game.moves), game.agrees) == ("disconnected", 9, None)
    assert "reason" not in game.record()


def test_a_full_server_says_so() -> None:
    (game,) = played(Server(full=True))
    assert (game.how, game.start, game.reason) == ("disconnected", None, "Der Server ist voll")
    assert game.record()["reason"] == "Der Server ist voll"


def test_a_refused_board_is_not_proposed_again() -> None:
    server = Server(refused_boards=20)
    server.start()
    with pytest.raises(HagenError, match=r"refuses the board .* 'ungültiges Spielfeld'; propose"):
        list(Client(Player(Greedy())).play("127.0.0.1", server.port, 10))
    server.join(10)
    assert len([said for said in server.heard if said.startswith("spielparameter")]) == 1


def test_other_points_are_noticed() -> None:
    (game,) = played(Server(points_off=1))
    assert game.agrees is False


def test_another_game() -> None:
    server = Server(games=2)
    games = played(server, games=2)
    assert server.failure is None
    assert [game.how for game in games] == ["played", "played"]
    assert "neuesspiel." in server.heard


def test_the_seed_advances_by_game() -> None:
    """The server's player is told nothing of the game before, so only the bot can vary."""
    server = Server(games=3)
    server.start()
    bot = Random(5)
    client = Client(Player(bot), games=3, scoring=Scoring.LEVEL2)
    games = list(client.play("127.0.0.1", server.port, 10))
    assert [game.how for game in games] == ["played"] * 3
    assert len({game.moves[0] for game in games}) == 3
    assert bot.seed == 7


def test_a_seed_that_cannot_be_set() -> None:
    class Fixed(Random):
        def __setattr__(self, name: str, value: object) -> None:
            if name == "seed" and hasattr(self, "seed"):
                raise ValueError("not mine")
            super().__setattr__(name, value)

    server = Server(games=2)
    server.start()
    with pytest.raises(BotCrashed, match="setting its seed raises ValueError: not mine"):
        list(Client(Player(Fixed()), games=2).play("127.0.0.1", server.port, 10))


def test_a_board_that_does_not_follow() -> None:
    server = Server(wrong_board=5)
    server.start()
    with pytest.raises(HagenError, match="not the one this game is played on"):
        list(Client(Player(Greedy())).play("127.0.0.1", server.port, 10))


def test_a_silent_server() -> None:
    server = Server(silent=True)
    server.start()
    with pytest.raises(HagenError, match="silent"):
        list(Client(Player(Greedy())).play("127.0.0.1", server.port, 0.3))


@pytest.mark.parametrize("pieces", [1, 2, 3, 1000])
def test_messages_from_pieces(pieces: int) -> None:
    content = "Kulami?\n\nfarbe( b ).\r\ngültig(a0b1).\nname(Ä (b), c.).\n".encode()
    messages = Messages()
    found = []
    for start in range(0, len(content), pieces):
        found += messages.feed(content[start : start + pieces])
    assert found == [
        ("Kulami", None),
        ("farbe", " b "),
        ("gültig", "a0b1"),
        ("name", "Ä (b), c."),
    ]


def test_a_line_without_end() -> None:
    with pytest.raises(HagenError, match="without the end of a line"):
        Messages().feed(b"x" * 100_000)


class TestCommand:
    """`kulami hagen`."""

    def test_a_game(self) -> None:
        server = Server()
        server.start()
        ran = kulami("hagen", "127.0.0.1", str(server.port), "--bot", "greedy", "--json")
        assert ran.code == 0, ran.err
        answer = json.loads(ran.out)
        assert (answer["how"], answer["agrees"]) == ("played", True)

    def test_broken_off(self) -> None:
        server = Server(hang_up=3)
        server.start()
        ran = kulami("hagen", "127.0.0.1", str(server.port), "--bot", "greedy")
        assert ran.code == 1
        assert ran.out.startswith("disconnected as black against Gegner")

    def test_a_full_server(self) -> None:
        server = Server(full=True)
        server.start()
        ran = kulami("hagen", "127.0.0.1", str(server.port), "--bot", "greedy")
        assert ran.code == 1
        assert ran.out.endswith("no points; the server said last: Der Server ist voll\n")

    def test_a_refused_board(self) -> None:
        server = Server(refused_boards=20)
        server.start()
        ran = kulami("hagen", "127.0.0.1", str(server.port), "--bot", "greedy", "--wait", "5")
        assert ran.code == 2
        assert "the server refuses the board proposed, saying" in ran.err
        assert len(ran.err.splitlines()) == 1

    def test_another_number_of_marbles_is_warned_of(self) -> None:
        for marbles, said in (("32", True), ("28", False)):
            ran = kulami("hagen", "127.0.0.1", "1", "--bot", "greedy", "--marbles", marbles)
            warning = "kulami: warning: the server in Hagen plays with 28 marbles of each colour\n"
            assert ran.err.startswith(warning) == said

    def test_nobody_there(self) -> None:
        ran = kulami("hagen", "127.0.0.1", "1", "--bot", "greedy")
        assert ran.code == 2
        assert "127.0.0.1:1 cannot be reached" in ran.err

    def test_what_the_server_does_not_know(self) -> None:
        ran = kulami("hagen", "127.0.0.1", "1", "--bot", "greedy", "--scoring", "chains")
        assert ran.code == 2
        assert "level 0, 1 and 2" in ran.err


BOARD = Position(Layout.square()).hagen()


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("spielstart(b).", "without a board or a colour"),
        ("farbe(x).", "names the colour 'x'"),
        ("farbe?", "names the colour None"),
        ("gültig(a0).", "before the game has begun"),
        ("ungültig(Name vergeben).", "the server refuses: 'Name vergeben'"),
        ("spielparameter(abc, 1, b).", "with 3 parts"),
        (f"spielparameter({BOARD}, 7, b, X).", "'7' is not a scoring"),
        ("spielparameter(b0, 1, b, X).\nspielstart(b).", "200 characters"),
        (f"spielparameter({BOARD}, 1, r, X).\nspielstart(b).\nzug(1, 2).", "200 characters"),
        (f"spielparameter({BOARD}, 1, r, X).\nspielstart(b).\nzug({BOARD[:-1]}2).", "no field"),
    ],
)
def test_what_makes_no_sense_ends_in_one_line(said: str, message: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.sendall(f"Kulami?\n{said}\n".encode())
                connection.settimeout(5)
                while connection.recv(4096):
                    pass

        serving = threading.Thread(target=serve, daemon=True)
        serving.start()
        port = listening.getsockname()[1]
        ran = kulami("hagen", "127.0.0.1", str(port), "--bot", "greedy", "--wait", "5")
        serving.join(10)
    assert ran.code == 2
    assert message in ran.err
    assert len(ran.err.splitlines()) == 1


def test_a_connection_that_closes_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=lambda: listening.accept()[0].close(), daemon=True).start()
        port = listening.getsockname()[1]
        ran = kulami("hagen", "127.0.0.1", str(port), "--bot", "greedy")
    assert ran.code == 1
    assert ran.out.startswith("disconnected")


def test_the_record_of_a_game_that_ends_early_by_the_rules() -> None:
    start = Position(Layout.parse("AAB/CCB"), marbles=1, short_end=True)
    game = Finished("red", "somebody", start, Scoring.CHAINS, ["a1"], 2, 0)
    assert game.agrees
    assert check_record(game.record()).agrees


@pytest.mark.parametrize("coding", ["utf-8", "latin-1", "cp1252", "cp850", "mac_roman"])
def test_a_confirmation_is_heard_in_any_encoding(coding: str) -> None:
    for said in ("gültig(b).", "ungültig(b).", "gueltig(b).", "message(Grüße)."):
        ((word, content),) = Messages().feed(f"{said}\n".encode(coding))
        assert word.replace("ü", "ue") == said.partition("(")[0].replace("ü", "ue")
        assert content == "b" or word == "message"
