"""An engine for tests that speaks UGI and then misbehaves: python unruly_engine.py HOW.

first       plays the first legal field
hang        does not answer go
crash       ends at go
nonsense    answers what is no field
illegal     answers a field that is taken or not there
chatter     talks without end instead of answering
silent      does not even say ugiok
late        answers the first legal field after a second
twice       says its move twice
few         names only some values of an option
once        ends after its first move
second      plays at the first go, and ends at the second
helper      ends at go, and leaves a process with its pipes
daemon      likewise; the process is in a session of its own
"""

from __future__ import annotations

import subprocess
import sys
import time

from kulami_solver import Position


def main() -> None:
    """Answer until stdin ends."""
    how, moves = sys.argv[1], 0
    position = None
    for line in sys.stdin:
        words = line.split()
        if how == "silent":
            continue
        if words == ["ugi"]:
            print("id name Unruly", how)
            kind = "combo default 0 var 0 var 1" if how == "few" else "string default 0"
            print("option name scoring type", kind)
            print("ugiok", flush=True)
        elif words == ["isready"]:
            print("readyok", flush=True)
        elif words[:2] == ["position", "fen"]:
            position = Position.from_kfn(" ".join(words[2:]))
        elif words[:1] == ["go"]:
            assert position is not None
            if how == "hang":
                time.sleep(1000)
            moves += 1
            if how == "crash" or (how == "second" and moves == 2):
                sys.exit("out of cheese")
            if how in ("helper", "daemon"):
                subprocess.Popen(["sleep", "20"], start_new_session=how == "daemon")
                sys.exit(3)
            if how == "late":
                time.sleep(1)
            while how == "chatter":
                print("info string and another thing", flush=True)
            answer = position.legal_fields[0]
            if how == "nonsense":
                answer = "banana"
            if how == "illegal":
                answer = position.last[0] if position.last else "p16"
            print("info depth 1")
            print(*["bestmove " + answer] * (2 if how == "twice" else 1), sep="\n", flush=True)
            if how == "once":
                return
        elif words == ["quit"]:
            return


if __name__ == "__main__":
    main()
