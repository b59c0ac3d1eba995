"""Parts of the page's server by themselves: who is answered, how searches queue, what is shown."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import re
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from typing import Any

import pytest
from command_line import FINISHED

import kulami_solver as ks
from kulami_solver.errors import KulamiError
from kulami_solver.kulami.position.position import Position

pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install -e '.[test]'")

import uvicorn
from uvicorn.server import ServerState

from kulami_solver.web import app, server
from kulami_solver.web.app import EventStream
from kulami_solver.web.files import static_files
from kulami_solver.web.kulami import chains, largest_area
from kulami_solver.web.messages import Refused
from kulami_solver.web.places import pages
from kulami_solver.web.searches import Limits, Searches, Task
from kulami_solver.web.server import Connection

Message = MutableMapping[str, Any]


# Who is answered


def test_a_connection_that_never_comes_to_the_point_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server, "_ASKING", 0.1)

    async def app(_scope: Any, _receive: Any, send: Callable[[Message], Awaitable[None]]) -> None:
        await asyncio.sleep(0.3)  # an answer may take its time
        headers = [(b"content-length", b"4")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"good"})

    async def main() -> list[bytes]:
        config = uvicorn.Config(app, http=Connection, lifespan="off", log_config=None)
        config.load()
        state = ServerState()
        listening = await asyncio.get_running_loop().create_server(
            lambda: Connection(config=config, server_state=state, app_state={}), "127.0.0.1", 0
        )
        port = listening.sockets[0].getsockname()[1]

        async def ask(*parts: bytes) -> bytes:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            for part in parts:
                writer.write(part)
                await asyncio.sleep(0.05)
            answer = b""
            with contextlib.suppress(ConnectionError):  # it was closed while we wrote
                answer = await asyncio.wait_for(reader.read(), 5)
            writer.close()
            return answer

        head = b"GET / HTTP/1.1\r\nhost: x\r\n"
        found = await asyncio.gather(
            ask(),
            ask(head),
            ask(*(bytes([letter]) for letter in head[:9])),
            ask(head, b"\r\n", *([b""] * 12), b"GET"),
        )
        listening.close()
        return list(found)

    silent, half, dripping, twice = asyncio.run(asyncio.wait_for(main(), 20))
    assert (silent, half, dripping) == (b"", b"", b"")
    assert twice.startswith(b"HTTP/1.1 200 OK")
    assert twice.endswith(b"good")


# Searches


def in_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Run a test of asyncio, for twenty seconds at most."""

    @functools.wraps(test)
    def run(**fixtures: Any) -> None:
        asyncio.run(asyncio.wait_for(test(**fixtures), 20))

    return run


def waits(begun: list[Task]) -> Callable[[Task], None]:
    """Work that goes on until it is stopped."""

    def work(search: Task) -> None:
        begun.append(search)
        while not search.stop.wait(0.005):
            search.tell("progress", {"begun": len(begun)})

    return work


@in_a_loop
async def test_so_many_at_once_a_short_queue_and_no_more() -> None:
    begun: list[Task] = []
    searches = Searches(2, waiting=1)
    found = [searches.start(waits(begun)) for _ in range(3)]
    with pytest.raises(Refused, match="3 searches work or wait already") as refused:
        searches.start(waits(begun))
    assert refused.value.status == 503
    while len(begun) < 2:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)
    assert begun == found[:2]
    found[2].cancel()  # it waits, and is never begun
    assert len(searches) == 2
    found[0].cancel()
    later = searches.start(waits(begun))
    while later not in begun:
        await asyncio.sleep(0.01)
    assert found[2] not in begun
    searches.close()
    for search in (found[1], later):
        async for _ in search.events():
            pass
    assert len(searches) == 0
    with pytest.raises(Refused):
        searches.start(waits(begun))


@in_a_loop
async def test_searches_take_turns_and_the_easy_ones_are_not_kept_waiting() -> None:
    done: list[str] = []
    turns: Counter[str] = Counter()

    def work(name: str, seconds: float) -> Callable[[Task], None]:
        def search(task: Task) -> None:
            turns[name] += 1
            begun = time.monotonic()
            while time.monotonic() - begun < seconds and not task.stop.is_set():
                time.sleep(0.005)
                task.tell("progress", {"seconds": time.monotonic() - begun})
            task.tell("solution", {"name": name})
            done.append(name)

        return search

    searches = Searches(1, waiting=10, turns=(0.3, 0.4))
    asked = {"long": 1.0, "longer": 1.2, "short": 0.0, "late": 0.0}
    found = {name: searches.start(work(name, seconds)) for name, seconds in asked.items()}
    assert len(searches) == 4
    told: dict[str, list[Any]] = {}
    for name, search in found.items():
        told[name] = [event async for event in search.events()]
    ends = [events[-1] for events in told.values()]
    assert ends == [("solution", {"name": name}) for name in asked]
    assert all([kind for kind, _ in events].count("solution") == 1 for events in told.values())
    # The easy ones were done before the hard ones had their second turns.
    assert done.index("late") < done.index("long", done.index("long") + 1)
    assert (turns["short"], turns["late"]) == (1, 1)
    assert min(turns["long"], turns["longer"]) >= 2
    before = [said["before"] for kind, said in told["late"] if kind == "waiting"]
    assert before == sorted(before, reverse=True)
    # A later turn tells nothing that an earlier one has told.
    seen = [
        said["seconds"] for kind, said in told["long"] if kind == "progress" and said.get("seconds")
    ]
    assert seen == sorted(seen)
    assert len(searches) == 0
    searches.close()


@in_a_loop
async def test_a_search_that_had_no_time_for_an_answer_begins_again() -> None:
    turns: Counter[int] = Counter()
    searches = Searches(1, waiting=10, turns=(0.02,))

    def work(number: int) -> Callable[[Task], None]:
        def search(task: Task) -> None:
            turns[number] += 1
            begun = time.monotonic()
            while time.monotonic() - begun < 0.1:
                if task.stop.is_set():
                    raise ks.BudgetError("no time")
                time.sleep(0.005)
            task.tell("solution", {"number": number})

        return search

    for number, search in enumerate([searches.start(work(number)) for number in range(3)]):
        assert [event async for event in search.events()][-1] == ("solution", {"number": number})
    assert max(turns.values()) == 2
    searches.close()


@in_a_loop
async def test_a_search_that_gave_way_and_is_left_is_ended() -> None:
    begun: list[Task] = []
    searches = Searches(1, waiting=10, turns=(0.05, 0.1))

    def work(task: Task) -> None:
        begun.append(task)
        while not task.stop.is_set():
            time.sleep(0.005)

    found = [searches.start(work) for _ in range(5)]
    while max(begun.count(search) for search in found) < 2:
        await asyncio.sleep(0.01)
    for search in found:
        search.cancel()
    assert len(searches) == 0
    for search in found:
        with contextlib.suppress(ks.KulamiError):  # ended before it had an answer
            async for _ in search.events():
                pass
    searches.close()


@in_a_loop
async def test_a_search_that_gets_no_thread_ends_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At its beginning as for its next turn; the queue stays in order."""
    searches = Searches(1, waiting=10, turns=(0.02,))
    begun: list[Task] = []

    def works(task: Task) -> None:
        begun.append(task)
        while not task.stop.is_set():
            time.sleep(0.005)

    def refused(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refused)
        with pytest.raises(ks.BudgetError, match="starts no more threads"):
            searches.start(works)
        assert (len(searches), begun) == (0, [])
    first, second = searches.start(works), searches.start(works)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refused)
        with pytest.raises(KulamiError, match="no more threads"):
            async for _ in first.events():
                pass
    third = searches.start(works)
    while third not in begun:
        await asyncio.sleep(0.01)
    assert len(searches) == 2
    assert begun.count(first) == 1
    searches.close()
    for search in (second, third):
        async for _ in search.events():
            pass


@in_a_loop
async def test_readers_get_progress_now_and_then_and_every_other_event() -> None:
    """A slow one gets the newest progress alone."""

    def work(search: Task) -> None:
        for number in range(60):
            search.tell("progress", {"number": number})
            time.sleep(0.005)
        search.tell("move", {"number": 1})
        search.tell("solution", {})

    last = [("progress", {"number": 59}), ("move", {"number": 1}), ("solution", {})]
    searches = Searches(1)
    began = time.monotonic()
    told = [event async for event in searches.start(work).events()]
    assert 3 <= len(told) <= (time.monotonic() - began) / 0.1 + 4
    assert told[-3:] == last
    search = searches.start(work)
    while len(searches):
        await asyncio.sleep(0.01)
    assert [event async for event in search.events()] == last
    searches.close()


def test_what_a_search_fails_with_is_told() -> None:
    async def streamed(failure: Exception) -> bytes:
        def work(_search: Task) -> None:
            raise failure

        async def receive() -> Message:
            await asyncio.sleep(60)
            raise AssertionError

        body = b""

        async def send(message: Message) -> None:
            nonlocal body
            body += message.get("body", b"")

        searches = Searches(1)
        await EventStream(searches.start(work))({"type": "http"}, receive, send)
        searches.close()
        return body

    said = asyncio.run(streamed(ks.BudgetError("give less")))
    assert said.endswith(b'event: error\ndata: {"error":"give less"}\n\n')
    said = asyncio.run(streamed(MemoryError()))
    assert b"not enough memory" in said


def test_a_reader_that_takes_nothing_ends_its_search(monkeypatch: pytest.MonkeyPatch) -> None:
    # tests/web/test_web_server.py has readers that leave.
    monkeypatch.setattr(app, "_STALLED", 0.1)

    async def main() -> None:
        searches = Searches(1)
        search = searches.start(waits([]))
        sent: list[Message] = []

        async def receive() -> Message:
            await asyncio.sleep(60)
            raise AssertionError

        async def send(message: Message) -> None:
            sent.append(message)
            if len(sent) > 3:
                await asyncio.sleep(60)

        before = time.monotonic()
        await EventStream(search)({"type": "http"}, receive, send)
        assert time.monotonic() - before < 2
        assert search.stop.is_set()
        assert len(sent) > 2
        while len(searches):
            await asyncio.sleep(0.01)
        searches.close()

    asyncio.run(asyncio.wait_for(main(), 20))
    names = [thread.name for thread in threading.enumerate()]
    assert not [name for name in names if name.startswith("kulami-solve")]


def test_limits() -> None:
    limits = Limits(threads=2, memory=1 << 20, seconds=5)
    assert (limits.time(None), limits.time(1), limits.time(1000)) == (5, 1, 5)
    assert (limits.threads_for(None), limits.threads_for(1), limits.threads_for(64)) == (2, 1, 2)
    assert limits.table(56, 5, 2) == "1024K"
    assert limits.table(10, 5, 2) == "64K"
    assert 2 <= limits.at_once <= 4


# What is shown


def test_areas_and_chains_are_those_of_the_rules() -> None:
    positions = [Position.from_kfn(FINISHED)]
    for seed in range(12):
        position = Position(ks.Layout.random(seed, irregular=seed % 2 == 1))
        while not position.is_over:
            fields = position.legal_fields
            position = position.play(fields[(seed * 7 + len(fields) * 3) % len(fields)])
            if position.free_count in (20, 30) or position.is_over:
                positions.append(position)
    for position in positions:
        score = position.score()
        for colour, mask in (("red", position.red), ("black", position.black)):
            area, found = set(largest_area(position, colour)), chains(position, colour)
            assert len(area) == getattr(score.area, colour)
            assert sum(map(len, found)) == getattr(score.chains, colour)
            own = set(position.layout.names(mask))
            assert own >= area | {field for chain in found for field in chain}


# Its files name everything relative to themselves, so that the page works below any path


#: What begins at the root of the host: in an attribute, an import, a request or a style sheet.
ROOTED = re.compile(r"""(?:href=|src=|href: |src: |from |import\(|fetch\(|url\()["'`]?/\S*""")


def test_no_file_of_the_page_names_an_address_from_the_root_of_its_host() -> None:
    files = static_files(pages())
    assert any(ROOTED.search(text) for text in ('<a href="/static/x">', "fetch(`/api/x`)"))
    found = {
        name: rooted
        for name, file in files.items()
        if name.endswith((".html", ".js", ".css"))
        and (rooted := ROOTED.findall(file.content.decode()))
    }
    assert found == {}
