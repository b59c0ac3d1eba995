"""Measure what many visitors of a page see who ask at the same moment.

    python scripts/bench/bench_visitors.py                 50 visitors of a server started here
    python scripts/bench/bench_visitors.py --visitors 20 --time 10

Half of them ask about late positions with 20 to 24 free fields, each about another; a quarter about
the empty board of 8x8, and a quarter about positions with 44 free fields. All want every field's
value, and estimates where none is proved. Printed are how many were refused, and the seconds until
the first estimate and the end of the answer: the median and the last of them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
import subprocess
import sys
import time
from itertools import islice
from typing import Any

from random_play import positions

KINDS = ("empty", "late", "middle", "late")


def question(number: int) -> dict[str, Any]:
    """What a visitor asks."""
    kind = KINDS[number % len(KINDS)]
    if kind == "empty":
        return {"layout": "square", "estimate": True, "all": True}
    free = 44 if kind == "middle" else 20 + number % 5
    position = next(islice(positions(free), number, None))
    return {"kfn": position.kfn(), "estimate": True, "all": True}


async def visit(port: int, kind: str, body: bytes) -> tuple[str, int, float | None, float]:
    """Ask; return the kind of visitor, the status, and when the estimate and the end came."""
    head = f"POST /api/analyse HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    begun = time.monotonic()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(head.encode() + body)
    text, estimated = b"", None
    while chunk := await reader.read(1 << 16):
        text += chunk
        if estimated is None and b'"estimate":{' in text:
            estimated = time.monotonic() - begun
    writer.close()
    return kind, int(text.split()[1]), estimated, time.monotonic() - begun


async def visits(port: int, count: int) -> None:
    """Let all visitors ask at once, and print what they saw."""
    kinds = [KINDS[number % len(KINDS)] for number in range(count)]
    asked = [json.dumps(question(number)).encode() for number in range(count)]
    found = await asyncio.gather(*(visit(port, *one) for one in zip(kinds, asked, strict=True)))
    print(f"refused: {sum(status != 200 for _, status, _, _ in found)} of {count}")
    for kind in dict.fromkeys(KINDS):
        answered = [one for one in found if one[0] == kind and one[1] == 200]
        seen = [estimated for _, _, estimated, _ in answered if estimated is not None]
        for what, seconds in (("estimate", seen), ("end", [end for *_, end in answered])):
            if seconds:
                median = statistics.median(seconds)
                print(f"{kind:7}{what:9} median {median:6.2f} s, last {max(seconds):6.2f} s")


def main() -> None:
    """Start a server, and visit it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--visitors", metavar="N", type=int, default=50)
    parser.add_argument("--time", metavar="SECONDS", type=float, default=5, help="of a search (5)")
    args = parser.parse_args()
    command = [sys.executable, "-m", "kulami_solver", "serve", "--port", "0"]
    with subprocess.Popen(
        [*command, "--time", str(args.time)], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        try:
            port = re.search(r":(\d+)/", server.stdout.readline())
            assert port is not None
            asyncio.run(visits(int(port[1]), args.visitors))
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
