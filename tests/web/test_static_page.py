"""The page as plain files, without a server: workers of the browser answer.

Each test runs against the stand-in of `static_page.py`, and at night against what is compiled.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import pytest
from browser import Tab, link, shows
from command_line import SMALL, SQUARE, completed

pytest.importorskip("starlette", reason="starlette is not installed: pip install -e '.[test]'")

import make_static_page
from downloads import MissingError
from static_page import Site, hosted, site_files
from web_server import Server

import kulami_solver as ks

pytestmark = [pytest.mark.sources, pytest.mark.landing]

LATE = f"{SQUARE} 1b2rrbr/rrrrrbbb/brr5/2b1b3/r1b1rb1b/bb1r2b1/1rbbrbr1/2r3rb r f7,b7"
EVERY_BOARD = "() => [...document.querySelectorAll('.board')].every((one) => one.firstChild)"
KEPT = """async () => {
    const { active } = await navigator.serviceWorker.ready;
    while (active.state !== "activated") {
        await new Promise((go) => active.addEventListener("statechange", go, { once: true }));
    }
    return (await caches.keys()).length;
}"""
LONG = (
    "AABBBCCD/AAEEFCCD/GGEEFHHD/GGEEFHHI/GGJJKKLI/MMJJNNLI/OOOPPQQQ/OOOPPQQQ"
    " brr2b1r/r1b1rr1b/2r2b1b/rb1rbb1b/4r2r/r2bbb1r/b4r1b/4br1r r e4,d4"
)
NEXT = "AAB/AAC 2r/3 b c1"
GAMES = ("kulami", "malawi", "just4fun")


@pytest.fixture(
    scope="module", params=[False, pytest.param(True, marks=pytest.mark.nightly)], ids=str
)
def site(request: pytest.FixtureRequest) -> Iterator[Site]:
    """A host of plain files."""
    with hosted(site_files(built=request.param)) as found:
        yield found


def reader(site: Site, browser: Any) -> Tab:
    """A tab of somebody who comes to this host."""
    found = Tab(cast(Server, site), browser)
    found.page.set_default_timeout(60_000)
    return found


@pytest.fixture
def tab(site: Site, browser: Any) -> Iterator[Tab]:
    """A page of it, of somebody who hid the values."""
    found = reader(site, browser)
    found.remembers(values="off")
    yield found
    found.close()


def go(tab: Tab, address: str) -> None:
    """Load an address anew, and wait until there is a board."""
    tab.page.goto("about:blank")
    tab.page.goto(tab.server.url + address)
    tab.page.locator("#board svg:not(.sketch), #board .drawn").first.wait_for()


def test_what_everybody_asks_first_needs_no_python(browser: Any) -> None:
    with hosted(site_files(built=False)) as site:
        site.hold.clear()
        tab = reader(site, browser)
        for address in ("", "#game=malawi&moves=", *[f"rules/{game}/" for game in GAMES]):
            tab.page.goto("about:blank")
            tab.page.goto(site.url + address)
            tab.sees(".board svg:not(.sketch)")
            tab.until(EVERY_BOARD)
            tab.sees(".loading", "the solver")
        site.hold.set()
        go(tab, "#game=just4fun&moves=")
        tab.sees("[data-role=status]", "red")
        tab.page.click("[data-action=share]")
        tab.sees("#sharing .export")
        tab.close()


def test_values_are_the_servers(site: Site, tab: Tab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "seconds", 60.0)  # what is to be proved is, however busy the machine
    go(tab, link(LATE, "chains"))
    assert tab.page.evaluate("kulamiReady.then(() => 'ready')") == "ready"
    shows(tab.page.locator(".loading"), 0)
    tab.values()
    tab.proved()
    found = ks.solve(ks.Position.from_kfn(LATE), "chains", every_move=True)
    assert tab.margins == {move.field: move.margin for move in found.moves}
    tab.is_told(f"{found.nodes:,}")
    tab.page.select_option("#language", "es")
    tab.sees("[data-role=status]", "rojo")
    tab.sees("[data-role=value][data-exact]")
    tab.page.select_option("#language", "en")
    tab.values(shown=False)
    tab.open(f"#layout={quote(SMALL, safe='/')}&moves=e4,c4,c3,e3,a3,a4,d4,d2,e2,c2,a2")
    tab.page.click("#grade")
    tab.sees("[data-role=grade]", "%")
    tab.page.click("#new-game")
    tab.page.select_option("#player-black", "greedy")
    tab.field("c3").click()
    tab.stands(count=2)
    tab.field("c3").click()
    tab.sees("#field-wrong", "c3")


#: What lies on each field, by its column and row: in a sketch, and on the board itself.
PIECES = """(edge) => {
    const found = {};
    const lay = (x, y, text) => {
        const place = [x, y].map((at) => Math.floor((at - edge) / 60)).join();
        found[place] = (found[place] ?? "") + text;
    };
    const sides = { "#b3191d": "r", "#1c1c22": "b", "#a01014": "r", "#123a96": "b", none: "ring" };
    for (const piece of document.querySelectorAll("#board .sketch circle")) {
        const [x, y, fill] = ["cx", "cy", "fill"].map((name) => piece.getAttribute(name));
        const text = piece.nextSibling?.nodeName === "text" ? piece.nextSibling.textContent : "";
        if (sides[fill]) lay(x, y, sides[fill] + text);
    }
    for (const field of document.querySelectorAll("#board .field")) {
        const { figure, beads, stones, marble, last } = field.dataset;
        const ring = last === "1" ? "ring" : "";
        const text = marble ? marble[0] + ring : figure ? figure[0] + beads : stones;
        if (text) lay(...field.getAttribute("transform").match(/[0-9.]+/g), text);
    }
    return found;
}"""
CARDS = "#game=just4fun&board=2x2&stones=6&seed=10&moves="
MIDDLE = ks.Position(ks.Layout.parse(".AAB/CAAB/CDDD")).play_all("c1 d1")
SKETCHED = [
    (link(MIDDLE.kfn()), 2),
    (f"{link(MIDDLE.kfn())}&moves={MIDDLE.legal_fields[0]}", 3),
    ("#layout=square&amp;moves=d4,d7,a7&amp;first=black&ply=2", 2),  # out of a mail
    ("#layout=rulebook&moves=", 0),
    ("#game=malawi&board=3x4&moves=a4-a2;b1:a1,c1", 6),
    ("#game=malawi&board=2x3&moves=a3:b3;b1xb3", 4),
    ("#game=malawi&mfn=b2.b1/.r1./.b0r0/r2.. r&moves=b2-b1&ply=0", 6),
    ("#game=just4fun&seed=1&moves=", 0),
    # Red takes blue's stone away from field 1; the hands that are put away place none.
    (f"{CARDS}1=1;1=1;discard=7%2B8%2B10%2B13;3=3;1=1;4=4;discard=8%2B12%2B15%2B16;4=4;1=1", 3),
    ("#game=just4fun&jfn=1x3 1:r1b1 r2b2 b r2,b1.3 - -&moves=1=1", 1),
]


def test_links_are_sketched_before_python_is_there(browser: Any) -> None:
    """Then the board itself takes the sketch's place, with the same on each field."""
    with hosted(site_files(built=False)) as site:
        tab = reader(site, browser)
        for address, pieces in SKETCHED:
            site.hold.clear()
            tab.page.goto("about:blank")
            tab.page.goto(site.url + quote(address, safe="#&=/:;,%"))
            tab.sees("#board .sketch")
            edge = 10 if "just4fun" in address else 34 if "malawi" in address else 40
            sketched = tab.page.evaluate(PIECES, edge)
            assert len(sketched) == pieces, address
            drawn = tab.page.locator("#board .sketch circle:not([fill=none])").count()
            site.hold.set()
            shows(tab.page.locator("#board .sketch"), 0)
            tab.sees("#board .field")
            laid = tab.page.evaluate(PIECES, edge)
            if "game=" not in address:
                shows(tab.page.locator("#board .field"), drawn)
            if "moves=" not in address:  # then no marble is ringed
                laid = {place: said.removesuffix("ring") for place, said in laid.items()}
            assert laid == sketched, address
        for address in (
            "#layout=boardspace-3", "#kfn=<svg>", "#game=malawi&board=x",
            "#game=malawi&moves=a9-a2", "#game=just4fun&board=2,x", "#game=chess",
        ):  # fmt: skip
            go(tab, address)
        tab.close()


def test_other_pages_may_ask_the_worker(tab: Tab) -> None:
    """What is no question is refused in a sentence."""
    tab.open()
    told = tab.page.evaluate(
        """(late) => new Promise((found) => {
            const worker = new Worker("kulami-worker.js", { type: "module" });
            const told = [];
            const twice = { layout: "square", moves: "d4 d4" };
            const asked = [null, "kfn", 3n, { kfn: 3n }, twice, { kfn: "x" }, late];
            worker.onmessage = ({ data: { id, event, data } }) => {
                if (event && event !== "progress") told.push([id, event, data]);
                if (told.length === asked.length) found(told);
            };
            asked.forEach((one, id) => worker.postMessage(one?.kfn?.at ? { ...one, id } : one));
        })""",
        {"kfn": LATE, "scoring": "0", "time": 30},
    )
    events = {number: (event, said) for number, event, said in told}
    assert [event for _, event, _ in told].count("error") == 6
    assert all(said["error"] for _, event, said in told if event == "error")
    assert (events[6][0], events[6][1]["margin"]) == ("solution", -4)
    assert "LAYOUT MARBLES TURN LAST" in events[5][1]["error"]


HOSTILE = [
    "#kfn=<img src=x onerror=alert(1)>%00%ff" + quote('"><svg onload=alert(1)> - r -'),
    "#layout=square&moves=" + "d4," * 3000,
    "#game=__proto__&moves=constructor",
    "#layout=square&scoring=__proto__",
    "#game=malawi&mfn=" + "b2" * 2000,
    "#game=just4fun&jfn=3x3 -&seed=1e99&line=-1",
]


def test_hostile_links_and_texts_do_no_harm(tab: Tab) -> None:
    tab.page.on("dialog", lambda dialog: tab.problems.append(dialog.message))
    for address in HOSTILE:
        go(tab, address)
        tab.page.evaluate("kulamiReady")
    go(tab, "#layout=square&moves=d4")
    tab.page.evaluate("kulamiReady")
    for text in ('{"board": "<img src=x onerror=alert(1)>"}', "A" * 50_000, "{" * 9000):
        tab.put_in(text)
        tab.sees("dialog[open] .wrong:not(:empty)")
        tab.page.keyboard.press("Escape")
    assert tab.page.locator("img").count() == 0


@pytest.mark.nightly
def test_searches_that_nobody_waits_for_end(browser: Any) -> None:
    with hosted(site_files(built=True)) as built:
        tab = reader(built, browser)
        tab.page.set_default_timeout(120_000)
        tab.open("#layout=AAB/AAC&moves=")
        long = {"kfn": LONG, "scoring": "2", "all": True, "estimate": True, "time": 300}
        told = tab.page.evaluate(
            """async (questions) => {
                const { answer } = await import(document.querySelector("[src$='alone.js']").src);
                const ask = (asked, signal) =>
                    answer("/api/analyse", { body: JSON.stringify(asked), signal });
                for (let number = 0; number < 4; number += 1) {
                    const leaving = new AbortController();
                    const asked = { layout: "square", all: true, time: 300 };
                    const long = await ask(asked, leaving.signal);
                    await long.body.getReader().read();
                    leaving.abort();
                }
                const told = [];
                for (const asked of questions) told.push(await (await ask(asked)).text());
                return told.map((one) => JSON.parse(one.trim().split("data: ").at(-1)));
            }""",
            [long, {"kfn": NEXT}],
        )
        found = ks.solve(ks.Position.from_kfn(LONG), "2", every_move=True)
        assert told[0]["margin"] == found.margin
        assert told[0]["nodes"] > found.nodes / 2
        values = {move["field"]: move["margin"] for move in told[0]["moves"]}
        assert values == {move.field: move.margin for move in found.moves}
        assert found.position.play_all(told[0]["line"]).is_over
        assert told[1]["margin"] == ks.solve(ks.Position.from_kfn(NEXT)).margin
        tab.close()


def test_a_visit_without_a_network(browser: Any) -> None:
    from playwright.sync_api import TimeoutError

    with hosted(site_files(built=False)) as site:
        tab = reader(site, browser)
        tab.open()
        assert tab.page.evaluate(KEPT) == 1
        for name in ("", "rules/kulami/"):
            tab.page.goto(site.url + name)
            tab.page.locator(".board svg").first.wait_for()
    tab.page.goto(f"{site.url}#layout=square&moves=d4")
    tab.page.locator("#board .field").first.wait_for(state="attached")
    # Not before: a load that is broken off may ask the network. So does Chromium when it cannot
    # start the service worker in time, on a busy machine: a reader reloads once more.
    for _ in range(3):
        tab.page.reload()
        with contextlib.suppress(TimeoutError):
            tab.page.locator("#board .field").first.wait_for(state="attached", timeout=10_000)
            break
    else:
        raise AssertionError("the page does not come without a network")
    tab.page.goto(f"{site.url}rules/malawi/")
    tab.page.locator(".board svg").first.wait_for()
    tab.page.close()


def test_a_later_visit_leaves_loading_to_the_browser(tab: Tab) -> None:
    """It keeps what it has compiled, but of no answer that was made anew to count its bytes."""
    tab.open()
    assert tab.page.evaluate(KEPT) == 1
    told = tab.page.evaluate(
        """() => new Promise((found) => {
            const worker = new Worker("kulami-worker.js");
            const told = [];
            worker.onmessage = ({ data }) => {
                told.push(data);
                if (data.ready) found(told);
            };
        })"""
    )
    assert told == [{"starts": True}, {"ready": True}]


def test_what_is_written_and_what_is_left_alone(tmp_path: Path, repository: Path) -> None:
    files = site_files(built=False)
    kept = re.search(r"const FILES = (.*);", files["kulami-offline.js"].decode())
    assert kept
    assert json.loads(kept[1]) == {
        name.removesuffix("index.html") or "./": make_static_page.checksum(content)
        for name, content in files.items()
        if name != "kulami-offline.js"
    }
    # A folder of others is left alone, and so is what they put beside what was written.
    script = repository / "scripts" / "make_static_page.py"
    done = completed([sys.executable, "-S", script, tmp_path], cwd=tmp_path, env={})
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "this Python has no kulami_solver: source .venv/bin/activate" in done.stderr
    make_static_page.write({"index.html": b"1", "old/a.js": b"2"}, tmp_path)
    (tmp_path / ".git").mkdir()
    theirs = {"CNAME": "example.org", ".git/HEAD": "ref", "old/notes.txt": "mine"}
    for name, content in theirs.items():
        (tmp_path / name).write_text(content, encoding="ascii")
    make_static_page.write({"index.html": b"3", "new/b.js": b"4"}, tmp_path)
    written = tmp_path / make_static_page.WRITTEN
    found = {
        path.relative_to(tmp_path).as_posix(): path.read_text(encoding="ascii")
        for path in tmp_path.rglob("*")
        if path.is_file() and path != written
    }
    assert found == {"index.html": "3", "new/b.js": "4", **theirs}
    with pytest.raises(MissingError, match=r"CNAME is no file of this script: move it away"):
        make_static_page.write({"CNAME": b"5"}, tmp_path)
    # A list that is none is not believed.
    for listed in ("{}", "no JSON", '{"files": ["../x"]}', '{"files": ["/x"]}', '{"files": [3]}'):
        written.write_text(listed, encoding="ascii")
        with pytest.raises(MissingError, match="is not empty, and no page of this script"):
            make_static_page.write({"index.html": b"1"}, tmp_path)
    written.unlink()
    done = completed([sys.executable, script, tmp_path])
    assert (done.returncode, "is not empty" in done.stderr) == (1, True)
    assert (tmp_path / "index.html").read_bytes() == b"3"
