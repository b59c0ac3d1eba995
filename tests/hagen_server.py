"""A small Hagen server for tests: one client against a player of the server's own.

It follows the recorded exchange in `kulami_solver.adapters.hagen`, referees by the package's rules,
and can make life hard: send in fragments, say what nobody knows, refuse boards and moves, be full,
hang up. A resignation it answers as the public servers do: by a message, and it hangs up.
"""

from __future__ import annotations

import random
import re
import socket
import threading

from kulami_solver import Layout, Position, Scoring


class Server(threading.Thread):
    """Serves one client.

    Args:
        second: the client is the second player, and is told the board.
        fragments: send byte by byte in pieces.
        noise: say other things in between.
        full: there is no seat for the client.
        refused_boards: how many of the client's boards are refused, though they are right.
        refusals: how many of the client's moves are refused, though they are right.
        resigns: the ply at which the server's player resigns.
        hang_up: the ply after which the connection ends.
        wrong_board: the ply at which the board sent lacks a marble.
        games: how many games to play.
        points_off: added to red's points at the end.
    """

    def __init__(
        self,
        *,
        second: bool = False,
        fragments: bool = False,
        noise: bool = False,
        full: bool = False,
        refused_boards: int = 0,
        refusals: int = 0,
        resigns: int | None = None,
        hang_up: int | None = None,
        wrong_board: int | None = None,
        games: int = 1,
        points_off: int = 0,
        client_begins: bool = True,
        silent: bool = False,
    ) -> None:
        super().__init__(daemon=True)
        self.second = second
        self.fragments = fragments
        self.noise = noise
        self.full = full
        self.refused_boards = refused_boards
        self.refusals = refusals
        self.resigns = resigns
        self.hang_up = hang_up
        self.wrong_board = wrong_board
        self.games = games
        self.points_off = points_off
        self.client_begins = client_begins
        self.silent = silent
        self.heard: list[str] = []
        self.said: list[str] = []
        self.failure: BaseException | None = None
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._draw = random.Random(5).random
        self._rest = b""

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
        self.said.append(message)
        content = f"{message}\n".encode()
        if not self.fragments:
            self._connection.sendall(content)
            return
        while content:
            count = 1 + int(self._draw() * 7)
            self._connection.sendall(content[:count])
            content = content[count:]

    def _ask(self, pattern: str) -> re.Match[str]:
        while b"\n" not in self._rest:
            piece = self._connection.recv(4096)
            if not piece:
                raise ConnectionError("the client hung up")
            self._rest += piece
        line, self._rest = self._rest.split(b"\n", 1)
        said = line.decode()
        self.heard.append(said)
        match = re.fullmatch(pattern, said)
        if match is None:
            raise AssertionError(f"{said!r} instead of {pattern!r}")
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
            board = Position(layout).hagen()
            self._say(f"spielparameter({board}, 2, b, Gegner).")
        else:
            proposal = r"spielparameter\(([a-r][012](?:[a-r][012]){99}), ([012])\)\."
            self._say("spielparameter?")
            match = self._ask(proposal)
            for _ in range(self.refused_boards):
                self._say("message(ungültiges Spielfeld).")
                self._say("spielparameter?")
                match = self._ask(proposal)
            layout = Position.from_hagen(match[1], turn="red").layout
            scoring = Scoring.parse(match[2])
            self._say("farbe(b).")
            self._say("name(Gegner).")
        first = "black" if self.client_begins else "red"
        position = Position(layout, first)
        self._say(f"spielstart({first[0]}).")
        ply = 0
        while not position.is_over:
            if self.noise:
                self._say("playermessage(Na, wird's bald? (haha).)")
                self._say("wetterbericht(heiter, 21).")
                self._say("!!")
            if self.hang_up == ply:
                return False
            if self.resigns == ply:
                return self._left("Gegner")
            if position.turn == "black":
                match = self._ask(r"zug\((\d+), (\d+)\)\.|spielaufgabe\.")
                if match[1] is None:
                    return self._left("A")
                field = "abcdefghij"[int(match[1])] + str(int(match[2]) + 1)
                if self.refusals:
                    self.refusals -= 1
                    self._say("ungültig(Laune).")
                    continue
                position = position.play(field)
                self._say(f"gültig({self._board(position, ply)}).")
            else:
                fields = position.legal_fields
                position = position.play(fields[int(self._draw() * len(fields))])
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
