"""A bot on a Hagen server that follows the recorded exchange."""

from __future__ import annotations

import random
import re
import socket
import threading
from typing import Any

import pytest
from command_line import kulami

from kulami_solver import Layout, Position, Scoring
from kulami_solver.adapters.hagen import Client, Finished, HagenError, Messages
from kulami_solver.bots import BotCrashed, Greedy, Player, Random
from kulami_solver.kulami.game_record import check_record

PROPOSAL = r"spielparameter\(([a-r][012](?:[a-r][012]){99}), ([012])\)\."


class Server(threading.Thread):
    """Serves one client, with a player of its own, as `kulami_solver.adapters.hagen` has recorded.

    It referees by the package's rules, and makes life hard as its options say. A resignation it
    answers as the public servers do: by a message, and it hangs up.
    """

    second = False  # the client is the second player, and is told the board
    client_begins = True
    fragments = False  # send byte by byte in pieces
    noise = False  # say other things in between
    silent = False
    full = False  # there is no seat for the client
    games = 1
    refused_boards = 0  # how many of the client's boards are refused, though they are right
    refusals = 0  # and how many of its moves
    resigns = hang_up = wrong_board = -1  # plies at which its player does so
    points_off = 0  # added to red's points at the end

    def __init__(self, **options: Any) -> None:
        super().__init__(daemon=True)
        for name, value in options.items():
            assert hasattr(Server, name)
            setattr(self, name, value)
        self.heard: list[str] = []
        self.failure: BaseException | None = None
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._draw, self._rest = random.Random(5), b""
        self.start()

    def run(self) -> None:
        """Serve; what goes wrong is kept in `failure`."""
        try:
            self._connection, _ = self._listening.accept()
            with self._connection:
                # Else a second message waits until the client's system has confirmed the first.
                self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._connection.settimeout(20)
                self._serve()
        except BaseException as failure:
            self.failure = failure
        finally:
            self._listening.close()

    def _say(self, message: str) -> None:
        content = f"{message}\n".encode()
        while content:
            count = self._draw.randrange(1, 8) if self.fragments else len(content)
            self._connection.sendall(content[:count])
            content = content[count:]

    def _ask(self, pattern: str) -> re.Match[str]:
        while b"\n" not in self._rest:
            piece = self._connection.recv(4096)
            if not piece:
                raise ConnectionError("the client hung up")
            self._rest += piece
        line, self._rest = self._rest.split(b"\n", 1)
        self.heard.append(line.decode())
        match = re.fullmatch(pattern, self.heard[-1])
        assert match is not None, f"{self.heard[-1]!r} instead of {pattern!r}"
        return match

    def _serve(self) -> None:
        self._say("Kulami?")
        name = self._ask(r"neuerClient\((.+)\)\.")[1]
        if self.full:
            self._say("message(Der Server ist voll).")
            return
        self._say(f"message(Willkommen {name} als Spieler {2 if self.second else 1}).")
        if self.silent:
            threading.Event().wait(20)
        for number in range(self.games):
            if number:
                self._ask(r"neuesspiel\.")
            if not self._game():
                return

    def _game(self) -> bool:
        layout, scoring = Layout.rulebook(), Scoring.LEVEL2
        if self.second:
            self._say(f"spielparameter({Position(layout).hagen()}, 2, b, Gegner).")
        else:
            self._say("spielparameter?")
            match = self._ask(PROPOSAL)
            for _ in range(self.refused_boards):
                self._say("message(ungültiges Spielfeld).")
                self._say("spielparameter?")
                match = self._ask(PROPOSAL)
            layout = Position.from_hagen(match[1], turn="red").layout
            scoring = Scoring.parse(match[2])
            self._say("farbe(b).")
            self._say("name(Gegner).")
        first = "black" if self.client_begins else "red"
        position, ply = Position(layout, first), 0
        self._say(f"spielstart({first[0]}).")
        while not position.is_over:
            for said in ("playermessage(Na, wird's bald? (haha).)", "wetterbericht(heiter).", "!!"):
                if self.noise:
                    self._say(said)
            if self.hang_up == ply:
                return False
            if self.resigns == ply:
                return self._left("Gegner")
            if position.turn == "black":
                match = self._ask(r"zug\((\d+), (\d+)\)\.|spielaufgabe\.")
                if match[1] is None:
                    return self._left("A")
                if self.refusals:
                    self.refusals -= 1
                    self._say("ungültig(Laune).")
                    continue
                position = position.play("abcdefghij"[int(match[1])] + str(int(match[2]) + 1))
                self._say(f"gültig({self._board(position, ply)}).")
            else:
                position = position.play(self._draw.choice(position.legal_fields))
                self._say(f"zug({self._board(position, ply)}).")
            ply += 1
        score = position.score(scoring)
        self._say(f"spielende({score.red + self.points_off},{score.black}).")
        return True

    def _left(self, name: str) -> bool:
        """Say that a player has resigned; there is no other game."""
        self._say(f"message(Spieler {name} spielt nicht mehr).")
        return False

    def _board(self, position: Position, ply: int) -> str:
        board = position.hagen()
        return board.replace("2", "0").replace("1", "0") if self.wrong_board == ply else board


def played(server: Server, bot: Any = None, wait: float = 10, **options: Any) -> list[Finished]:
    """Play on a server with a greedy bot."""
    games = list(Client(Player(bot or Greedy()), **options).play("127.0.0.1", server.port, wait))
    server.join(10)
    return games


def command(port: int, *words: str) -> Any:
    return kulami("hagen", "127.0.0.1", str(port), "--bot", "greedy", "--wait", "5", *words)


@pytest.mark.parametrize("fragments", [True, False])
@pytest.mark.parametrize(
    "options",
    [
        *({"client_begins": True}, {"client_begins": False}, {"noise": True}, {"games": 2}),
        *({"second": True, "client_begins": False}, {"refusals": 1}, {"points_off": 1}),
    ],
)
def test_whole_games(options: dict[str, Any], fragments: bool) -> None:
    """The first player proposes a board, the second is told it; a refused move gives way."""
    server, noted = Server(fragments=fragments, **options), list[str]()
    terms: dict[str, Any] = (
        {} if server.second else {"layout": Layout.random(3), "scoring": Scoring.LEVEL1}
    )
    games = played(server, name="A", games=server.games, note=noted.append, **terms)
    assert server.failure is None
    assert server.heard[0] == "neuerClient(A)."
    assert server.heard.count("neuesspiel.") == server.games - 1 == len(games) - 1
    for game in games:
        assert (game.how, game.agrees) == ("played", not server.points_off)
        assert (game.colour, game.opponent) == ("black", "Gegner")
        assert game.scoring is (Scoring.LEVEL2 if server.second else Scoring.LEVEL1)
        assert game.start is not None
        assert len(game.start.layout) == 64
        assert server.points_off or check_record(game.record()).agrees
    assert any("unknown message 'wetterbericht' ignored" in one for one in noted) == server.noise
    moves = [said for said in server.heard if said.startswith("zug")]
    assert "refusals" not in options or moves[0] != moves[1]


@pytest.mark.parametrize(
    ("options", "terms", "hows", "plies"),
    [
        ({"refusals": 3}, {}, ["resigned"], 0),
        # The bot's only legal fields are refused, fewer of them than refusals that resign.
        ({"refusals": 2}, {"layout": Layout.parse("AA")}, ["resigned"], 0),
        *(({"resigns": ply}, {}, ["resigned"], ply) for ply in (0, 1, 8)),
        ({"hang_up": 9}, {}, ["disconnected"], 9),
        # After a resignation the server has hung up.
        ({"resigns": 4}, {"games": 2}, ["resigned", "disconnected"], 4),
        ({"refusals": 3}, {"games": 2}, ["resigned", "disconnected"], 0),
    ],
)
def test_games_that_end_early(
    options: dict[str, Any], terms: dict[str, Any], hows: list[str], plies: int
) -> None:
    server = Server(**options)
    games = played(server, **terms)
    assert [game.how for game in games] == hows
    assert (len(games[0].moves), games[0].agrees) == (plies, None)
    assert games[0].record()["score"] == {"red": None, "black": None}
    assert "reason" not in games[0].record()
    assert (server.heard[-1] == "spielaufgabe.") == ("refusals" in options)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"refused_boards": 20}, r"refuses the board .* 'ungültiges Spielfeld'; propose"),
        ({"wrong_board": 5}, "not the one this game is played on"),
        ({"silent": True}, "silent"),
    ],
)
def test_servers_that_no_game_is_played_on(options: dict[str, Any], said: str) -> None:
    server = Server(**options)
    with pytest.raises(HagenError, match=said):
        played(server, wait=0.3 if server.silent else 10)
    assert sum(said.startswith("spielparameter") for said in server.heard) == (not server.silent)


def test_a_full_server_says_so() -> None:
    (game,) = played(Server(full=True))
    assert (game.how, game.start, game.reason) == ("disconnected", None, "Der Server ist voll")
    assert game.record()["reason"] == "Der Server ist voll"


def test_the_seed_advances_by_game() -> None:
    """The server's player is told nothing of the game before, so only the bot can vary."""
    bot = Random(5)
    games = played(Server(games=3), bot, games=3, scoring=Scoring.LEVEL2)
    assert [game.how for game in games] == ["played"] * 3
    assert len({game.moves[0] for game in games}) == 3
    assert bot.seed == 7

    class Fixed(Random):
        def __setattr__(self, name: str, value: object) -> None:
            if name == "seed" and hasattr(self, "seed"):
                raise ValueError("not mine")
            super().__setattr__(name, value)

    with pytest.raises(BotCrashed, match="setting its seed raises ValueError: not mine"):
        played(Server(games=2), Fixed(), games=2)


@pytest.mark.parametrize("pieces", [1, 2, 3, 1000])
@pytest.mark.parametrize("coding", ["utf-8", "latin-1", "cp1252", "cp850", "mac_roman"])
def test_messages_from_pieces_in_any_encoding(pieces: int, coding: str) -> None:
    text = "Kulami?\n\nfarbe( b ).\r\ngültig(a0b1).\nungültig(b).\ngueltig(b).\nname(U (b), c.).\n"
    content, messages = text.encode(coding), Messages()
    found = []
    for start in range(0, len(content), pieces):
        found += messages.feed(content[start : start + pieces])
    assert [(word.replace("ü", "ue"), said) for word, said in found] == [
        ("Kulami", None), ("farbe", " b "), ("gueltig", "a0b1"), ("ungueltig", "b"),
        ("gueltig", "b"), ("name", "U (b), c."),
    ]  # fmt: skip
    with pytest.raises(HagenError, match="without the end of a line"):
        Messages().feed(b"x" * 100_000)


def test_the_record_of_a_game_that_ends_early_by_the_rules() -> None:
    start = Position(Layout.parse("AAB/CCB"), marbles=1, short_end=True)
    game = Finished("red", "somebody", start, Scoring.CHAINS, ["a1"], 2, 0)
    assert game.agrees
    assert check_record(game.record()).agrees


# `kulami hagen`


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ({}, 0, "played as black against Gegner"),
        ({"hang_up": 3}, 1, "disconnected as black against Gegner"),
        ({"full": True}, 1, "no points; the server said last: Der Server ist voll\n"),
        ({"refused_boards": 20}, 2, "the server refuses the board proposed, saying"),
    ],
)
def test_the_command_says_how_it_ended(options: dict[str, Any], code: int, said: str) -> None:
    ran = command(Server(**options).port)
    assert (ran.code, said in ran.out + ran.err) == (code, True)
    assert len(ran.err.splitlines()) == (code == 2)
    if not code:
        answer = command(Server(**options).port, "--json").answer
        assert (answer["how"], answer["agrees"]) == ("played", True)


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
        (None, ""),
    ],
)
def test_what_makes_no_sense_ends_in_one_line(said: str | None, message: str) -> None:
    """And a connection that closes at once is no error of the server's words."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            connection, _ = listening.accept()
            with connection:
                if said is None:
                    return
                connection.sendall(f"Kulami?\n{said}\n".encode())
                connection.settimeout(5)
                while connection.recv(4096):
                    pass

        serving = threading.Thread(target=serve, daemon=True)
        serving.start()
        ran = command(listening.getsockname()[1])
        serving.join(10)
    assert ran.code == (1 if said is None else 2)
    assert message in ran.err
    assert len(ran.err.splitlines()) == (said is not None)
    assert said is not None or ran.out.startswith("disconnected")
