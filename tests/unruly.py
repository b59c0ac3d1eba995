"""Bots that misbehave: `unruly:HOW` in Python, and `python unruly.py HOW` as a program of UGI.

HOW has words joined by `_`: what the bot does on a board of Kulami with no marble, with one, with
two and so on; the last word holds for all later positions and for other games.

first, last plays the first legal move, or the last
number      likewise, by its number
slow        plays the first one after 0.15 s
nonsense    answers what is no move, `taken` a field with a marble, `nothing` None
raises      raises an exception, `leaves` and `interrupts` one that ends programs
refuses     says that it has no move; `picky` does so where there are few, and names no option
crash       ends with a last word, `wordy` with many, `gone` without one
hang        does not answer
talks       prints on every stream, and asks for a line

A program alone:

chatter     talks without end instead of answering
silent      does not even say ugiok
late        answers a second after `go`, and hears what is said meanwhile
soon        likewise after 0.2 s
twice       says its move twice
stray       says a move and a fault before it is asked
few         names only some values of an option
once        ends after its first move
second      plays at the first go, and ends at the second
helper      ends at go, and leaves a process with its pipes
daemon      likewise; the process is in a session of its own
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import threading
import time
from typing import Any

NAMES = ("legal_fields", "legal_moves", "turns")


def engine(how: str) -> str:
    """The name of a program that misbehaves."""
    return "exec " + shlex.join(command(how))


def command(how: str) -> list[str]:
    """How the program is started."""
    return [sys.executable, __file__, how]


def __getattr__(how: str) -> Unruly:
    if how.startswith(("_", "pytest")):
        raise AttributeError(how)
    return Unruly(how)


class Unruly:
    """A bot that does what it is called."""

    def __init__(self, how: str) -> None:
        self.words = how.split("_")

    def how(self, position: Any) -> str:
        """What it does now."""
        marbles = len(position.layout) - position.free_count if hasattr(position, "layout") else 99
        return self.words[min(marbles, len(self.words) - 1)]

    def choose(self, position: Any) -> Any:
        """Do it."""
        how = self.how(position)
        move = next(getattr(position, name) for name in NAMES if hasattr(position, name))[0]
        match how:
            case "nonsense":
                return "banana"
            case "nothing":
                return None
            case "last":
                return position.legal_fields[-1]
            case "number":
                return position.layout.index(move)
            case "taken":
                return position.last[0] if position.last else "p16"
            case "raises":
                return self.deeper(move)
            case "leaves":
                sys.exit(3)
            case "interrupts":
                raise KeyboardInterrupt
            case "refuses" | "picky" if how == "refuses" or len(position.legal_fields) < 5:
                raise NotImplementedError("a small choice")
            case "wordy":
                for place in range(50):
                    print("thought", place, file=sys.stderr)
                sys.exit("out of thoughts")
            case "crash":
                sys.exit("out of cheese")
            case "gone":
                os._exit(3)
            case "hang":
                time.sleep(60)
            case "slow":
                time.sleep(0.15)
            case "talks":
                print("  indented", move)
                print("to stderr \x1b[2J \x9b1A \u202e", file=sys.stderr)
                os.write(1, b"past python \x1b[8m\r\n")
                assert sys.stdin.read() == ""
        return move

    def deeper(self, move: object) -> None:
        """Where it fails."""
        print("before")
        raise ValueError(f"boo \x1b[8m\x1b[2J\x07 \x9b1A \u202e {move}")

    def close(self) -> None:
        """Say so."""
        if "talks" in self.words:
            print("good bye", end="")


def say(*lines: object) -> None:
    """Print lines."""
    print(*lines, sep="\n", flush=True)


def main(how: str) -> None:
    """Answer until stdin ends."""
    from kulami_solver import Position

    bot, asked = Unruly(how), 0
    for line in sys.stdin if how != "silent" else ():
        match line.split():
            case ["ugi"]:
                kind = "combo default 0 var 0 var 1" if how == "few" else "string default 0"
                say(f"id name Unruly {how}")
                say(*[f"option name scoring type {kind}"] * (how != "picky"), "ugiok")
            case ["isready"]:
                say("readyok")
            case ["quit"]:
                return
            case ["position", "fen", *kfn]:
                position = Position.from_kfn(" ".join(kfn))
                if bot.how(position) == "stray":
                    say(f"bestmove {position.legal_fields[-1]}", "info string fault crash")
            case ["go", *_]:
                asked += 1
                now = bot.how(position)
                if now in ("helper", "daemon"):
                    subprocess.Popen(["sleep", "20"], start_new_session=now == "daemon")
                    os._exit(3)
                if now == "second" and asked == 2:
                    sys.exit("out of cheese")
                while now == "chatter":
                    say("info string and another thing")
                try:
                    answer = f"bestmove {bot.choose(position)}"
                except NotImplementedError as error:
                    say(f"info string error: {error}", "bestmove none")
                    continue
                if now in ("late", "soon"):
                    threading.Timer(1.0 if now == "late" else 0.2, say, [answer]).start()
                else:
                    say("info depth 1", *[answer] * (2 if now == "twice" else 1))
                if now == "once":
                    return
    if how == "silent":
        time.sleep(60)


if __name__ == "__main__":
    main(sys.argv[1])
