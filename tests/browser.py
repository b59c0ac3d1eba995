"""Headless Chromium, one for all tests of a process, and a page of `kulami serve` in it.

The fixtures are in conftest.py: `browser`, `server` (one for all pages), `tab`, and `newcomer` for
a tab of somebody whose browser remembers nothing. A tab may become somebody else's:

    def test_on_a_phone(tab: Tab) -> None:
        tab.becomes(width=390, language="de")
        tab.open("#layout=square&moves=d4")
        ...

Wait for what is to be seen (`tab.sees(...)`, `reads(...)`, `tab.until(...)`, a locator), never
for the clock: what a page shows just after a click may still be what it showed before.
"""

from __future__ import annotations

import asyncio.events
import contextlib
import copy
import functools
import json
import re
import shutil
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from web_server import Server

PATIENCE = 30_000
"""Milliseconds that a tab waits for what is to come; a busy machine takes its time."""


class Chromium:
    """The browser, and the event loop of the library that steers it."""

    def __init__(self, browser: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._browser = browser
        self._loop = loop

    @contextlib.contextmanager
    def at_hand(self) -> Iterator[Any]:
        """The browser to use.

        Between its calls the library's event loop stands still, but Python would go on to say that
        it runs; then nobody else could run one. So that is said inside of the block alone.
        """
        asyncio.events._set_running_loop(self._loop)
        try:
            yield self._browser
        finally:
            asyncio.events._set_running_loop(None)


@contextlib.contextmanager
def chromium() -> Iterator[Chromium]:
    """Start headless Chromium, and end it with the block; skips where there is none."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install playwright"
    )
    # The whole browser is what people have; the shell draws as it does.
    names = ("chromium", "chromium-browser", "chromium-headless-shell")
    program = next(filter(None, map(shutil.which, names)), None)
    if program is None:
        pytest.skip("there is no Chromium: on Debian, apt install chromium")
    started = playwright.sync_playwright().start()
    loop = asyncio.get_running_loop()
    try:
        # Chromium refuses its sandbox to root, who runs the tests in containers.
        # Pages of one site share a process: most of what a page costs is to start one. Without a
        # graphics card, painting as if there were one takes a tenth more of the processor.
        browser = started.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--process-per-site", "--disable-gpu"]
        )
        found = Chromium(browser, loop)
        asyncio.events._set_running_loop(None)
        yield found
        with found.at_hand():
            browser.close()
    finally:
        asyncio.events._set_running_loop(loop)
        started.stop()


def expected(elements: Any) -> Any:
    """Playwright's assertions of elements, a locator's, which wait until they hold."""
    from playwright.sync_api import expect

    expect.set_options(timeout=PATIENCE)
    return expect(elements)


def shows(elements: Any, count: int) -> None:
    """Wait until the page has so many of these elements, a locator's; fails if it never has."""
    expected(elements).to_have_count(count)


def reads(elements: Any, text: str) -> None:
    """Wait until this is the whole text of an element, a locator's; fails if it never is."""
    expected(elements).to_have_text(text, use_inner_text=True)


def mentions(elements: Any, text: str) -> None:
    """Wait until an element has this in its text; fails if it never has."""
    expected(elements).to_contain_text(text, use_inner_text=True)


def carries(elements: Any, attribute: str, value: str | None) -> None:
    """Wait until an element's attribute is this, or absent if it is None; fails if it never is."""
    if value is None:
        expected(elements).not_to_have_attribute(attribute, re.compile(""))
    else:
        expected(elements).to_have_attribute(attribute, value)


def holds(elements: Any, value: str) -> None:
    """Wait until this is in an input, or chosen of a list; fails if it never is."""
    expected(elements).to_have_value(value)


def link(kfn: str, scoring: str = "0") -> str:
    """The address of a position of Kulami, behind that of the page."""
    return f"#kfn={quote(kfn, safe='/,')}&scoring={scoring}"


#: Reads the games that the page keeps, the newest first; a database that is not there is not made.
_KEPT = """() => new Promise((done, failed) => {
    const request = indexedDB.open(`kulami${document.documentElement.dataset.store ?? ''}`);
    request.onupgradeneeded = () => request.transaction.abort();
    request.onerror = () => done([]);
    request.onsuccess = () => {
        const all = request.result.transaction('games').objectStore('games').getAll();
        all.onerror = failed;
        all.onsuccess = () => {
            request.result.close();
            done(all.result.sort((one, other) => other.changed - one.changed));
        };
    };
})"""


@functools.cache
def american_window(browser: Any) -> Any:
    """A window with one page; other tests may have opened windows of their own before it."""
    context = browser.new_context(locale="en-US")
    context.new_page()
    return context


def shared_context(server: Server, browser: Any) -> Any:
    """What most tabs are opened in: one window of an American, without what earlier tabs left.

    It keeps a page of the server's open, and so the process for the next ones.
    """
    context = american_window(browser)
    kept = context.pages[0]
    if not kept.url.startswith(server.url):
        kept.goto(f"{server.url}api/health")
    kept.evaluate(
        """async () => {
            localStorage.clear();
            await new Promise((done, failed) => {
                const request = indexedDB.deleteDatabase('kulami');
                Object.assign(request, { onsuccess: done, onerror: failed });
            });
        }"""
    )
    return context


class Tab:
    """A page in the browser, and what people do with it."""

    def __init__(self, server: Server, browser: Any, **options: Any) -> None:
        """Open an empty tab.

        Options, as has_touch, are those of Playwright's contexts; they cost a process.
        """
        self.server = server
        self._alone = bool(options)
        if self._alone:
            self.context = browser.new_context(locale="en-US", **options)
        else:
            self.context = shared_context(server, browser)
        self._appear()

    def _appear(self) -> None:
        self.page = self.context.new_page()
        self.becomes(width=1280, scheme="light")
        self.page.set_default_timeout(PATIENCE)
        self.problems: list[str] = []
        self.page.on("console", lambda message: self.problems.append(message.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self._check_host(request.url))

    def beside(self) -> Tab:
        """Open another empty tab in the same window."""
        other = copy.copy(self)
        other._alone = False
        other._appear()
        return other

    def becomes(
        self, *, width: int | None = None, scheme: str | None = None, language: str | None = None
    ) -> None:
        """Have another screen, 1280 or 390 wide, other colours, or a reader of another language."""
        if width:
            self.page.set_viewport_size({"width": width, "height": 800 if width > 400 else 844})
        if scheme:
            self.page.emulate_media(color_scheme=scheme)
        if language:
            program = self.page.evaluate("navigator.userAgent")
            session = self.context.new_cdp_session(self.page)
            told = {"userAgent": program, "acceptLanguage": language}
            session.send("Emulation.setUserAgentOverride", told)

    def hurries(self) -> None:
        """Have a clock that goes twenty times as fast where the page lets its reader look on."""
        self.page.add_init_script(
            "window.setTimeout = ((later) => (f, ms) => later(f, ms / 20))(window.setTimeout);"
        )

    def remembers(self, **kept: str) -> None:
        """Have this from earlier visits, as values="off": no search for who looks at no values."""
        self.context.pages[0].evaluate("(kept) => Object.assign(localStorage, kept)", kept)

    def _check_host(self, url: str) -> None:
        if not url.startswith((self.server.url, "data:", "blob:")):
            self.problems.append(f"asks {url}")

    def open(self, hash_text: str = "", anew: bool = False) -> None:
        """Go to an address of the page; `anew` if only what is behind # differs."""
        if anew:
            self.page.goto("about:blank")
        self.page.goto(self.server.url + hash_text)
        self.page.locator("#board .field").first.wait_for(state="attached")

    def sees(self, selector: str, text: str | re.Pattern[str] | None = None) -> None:
        """Wait until such an element, with this text, is to be seen."""
        self.page.locator(selector, has_text=text).first.wait_for()

    def click(self, *selectors: str) -> None:
        """Click on elements, one after the other."""
        for selector in selectors:
            self.page.click(selector)

    def press(self, *keys: str, blurred: bool = False) -> None:
        """Press keys, one after the other; nothing has the focus before if it is `blurred`."""
        if blurred:
            self.page.evaluate("document.activeElement.blur()")
        for key in keys:
            self.page.keyboard.press(key)

    def enter(self, move: str) -> None:
        """Type a move."""
        self.page.fill("#field", move)
        self.page.keyboard.press("Enter")

    @contextlib.contextmanager
    def without(self, path: str) -> Iterator[None]:
        """Requests of this path do not come through until the block ends."""
        self.page.route(path, lambda route: route.abort())
        yield
        self.page.unroute(path)
        self.forgives("net::ERR_")

    def forgives(self, trouble: str) -> None:
        """Take no offence at what the browser says of this trouble, which a test has made."""
        self.problems = [said for said in self.problems if trouble not in said]

    def close(self) -> None:
        """Leave, having had no trouble."""
        (self.context if self._alone else self.page).close()
        assert self.problems == []

    def paste(self, text: str) -> None:
        """Paste a text somewhere on the page."""
        self.page.evaluate(
            """(text) => {
                const data = new DataTransfer();
                data.setData('text', text);
                document.body.dispatchEvent(new ClipboardEvent('paste',
                    { clipboardData: data, bubbles: true }));
            }""",
            text,
        )

    def drop(self, name: str, content: bytes) -> None:
        """Drop a file somewhere on the page."""
        self.page.evaluate(
            """([name, bytes]) => {
                const data = new DataTransfer();
                data.items.add(new File([new Uint8Array(bytes)], name));
                document.body.dispatchEvent(new DragEvent('drop',
                    { dataTransfer: data, bubbles: true, cancelable: true }));
            }""",
            [name, [*content]],
        )

    def searches_for(self, seconds: float) -> None:
        """Let its searches take so long, not ten seconds."""

        def shorten(route: Any) -> None:
            route.continue_(post_data=json.dumps({**route.request.post_data_json, "time": seconds}))

        self.page.route("**/analyse", shorten)

    def steer(self, field: str) -> None:
        """Go over the board with the arrows, from the field that has the focus, to another one."""
        focused = "document.activeElement.dataset.field"
        at = self.page.evaluate(focused)
        for steps, keys in (
            (ord(field[0]) - ord(at[0]), ("ArrowLeft", "ArrowRight")),
            (int(field[1:]) - int(at[1:]), ("ArrowUp", "ArrowDown")),
        ):
            for _ in range(abs(steps)):
                self.page.keyboard.press(keys[steps > 0])
        assert self.page.evaluate(focused) == field

    def put_in(self, text: str) -> None:
        """Open a text in the dialog for other beginnings."""
        self.page.click("#open-setup")
        if self.page.locator("body").get_attribute("data-game") == "kulami":
            self.page.click("#tab-import")
            self.page.fill("#pasted", text)
            self.page.click("#take-in .main")
        else:
            self.page.fill("#position-text", text)
            self.page.click("#beginning .main")

    def comment(self, text: str) -> None:
        """Comment the move on the board."""
        self.page.evaluate("document.activeElement.blur()")
        self.page.keyboard.press("c")
        self.page.keyboard.type(text)
        self.page.keyboard.press("Tab")
        self.sees("#moves .remark", text)

    def show_games(self) -> Any:
        """Open the list of the games that are kept; returns its rows."""
        self.page.click("#open-games")
        self.sees("#games[open]")
        return self.page.locator("#games-list li[data-game]")

    def field(self, name: str) -> Any:
        """A field of the board."""
        return self.page.locator(f'#board [data-field="{name}"]')

    def role(self, name: str) -> Any:
        """An element by what it is for."""
        return self.page.locator(f"[data-role={name}]")

    @property
    def legal(self) -> set[str]:
        """The fields marked as legal."""
        found = self.page.locator("#board [data-legal]").evaluate_all(
            "fields => fields.map(field => field.dataset.field)"
        )
        return set(found)

    def offers(self, fields: set[str]) -> None:
        """Wait until these are the fields marked as legal."""
        self.until(
            """(fields) => JSON.stringify(fields) === JSON.stringify(
                [...document.querySelectorAll('#board [data-legal]')]
                    .map((field) => field.dataset.field).sort())""",
            sorted(fields),
        )

    def lists_moves(self, moves: Iterable[str]) -> None:
        """Wait until the moves below the board are these, in this order."""
        self.until(
            """(moves) => JSON.stringify(moves) === JSON.stringify(
                [...document.querySelectorAll('#turns [data-move]')]
                    .map((one) => one.dataset.move))""",
            list(moves),
        )

    def is_at(self, end: str) -> None:
        """Wait until the page's address ends like this."""
        self.page.wait_for_url(re.compile(re.escape(end) + "$"), wait_until="commit")

    @property
    def margins(self) -> dict[str, int]:
        """The values on the fields."""
        found = self.page.locator("#board [data-margin]").evaluate_all(
            "fields => fields.map(field => [field.dataset.field, Number(field.dataset.margin)])"
        )
        return dict(found)

    def stands(self, *, last: str | None = None, count: int | None = None) -> None:
        """Wait until this is the newest marble, confirmed, or until so many lie on the board."""
        if last is not None:
            self.sees(f'#board:not([aria-busy]) [data-field="{last}"][data-last="1"]')
        if count is not None:
            self.sees(f'[data-role=moves] [data-ply="{count}"][aria-current]')

    def play(self, *fields: str) -> None:
        """Click fields one after the other, each once the one before lies there."""
        for field in fields:
            self.field(field).click()
            self.stands(last=field)

    def values(self, shown: bool = True) -> None:
        """Have the values shown, or hidden."""
        switch = self.page.locator("#values")
        if (switch.get_attribute("aria-checked") == "true") != shown:
            switch.click()

    def proved(self) -> None:
        """Wait until the value is known."""
        self.sees("[data-role=value][data-exact]")
        self.is_told(re.compile("Proved|database"))

    def is_told(self, about: str | re.Pattern[str]) -> None:
        """Wait until this is said of how the value was found, where it may be looked up."""
        self.page.locator("#about p", has_text=about).wait_for(state="attached")

    def until(self, condition: str, argument: object = None) -> None:
        """Wait until a JavaScript expression, or a function of the argument, is true.

        What it asks for may not be there yet: while it throws, it is not true. It is asked once a
        frame and cannot be async, since a promise counts as true.
        """
        patient = f"""(argument) => {{
            try {{
                const held = ({condition});
                return typeof held === "function" ? held(argument) : held;
            }} catch {{
                return false;
            }}
        }}"""
        self.page.wait_for_function(patient, arg=argument)

    @property
    def kept(self) -> list[dict[str, Any]]:
        """The games that the page keeps, the newest first."""
        found: list[dict[str, Any]] = self.page.evaluate(_KEPT)
        return found

    def keeps(self, condition: str, argument: object = None) -> None:
        """Wait until a JavaScript function of the games that the page keeps is true.

        While it throws, it is not true. It may have an argument.
        """
        self.page.evaluate(
            f"""async (argument) => {{
                const end = performance.now() + {PATIENCE};
                for (;;) {{
                    const games = await ({_KEPT})();
                    try {{
                        if (({condition})(games, argument)) return;
                    }} catch {{
                        // Not yet.
                    }}
                    if (performance.now() > end) throw new Error(JSON.stringify(games));
                    await new Promise((go) => setTimeout(go, 20));
                }}
            }}""",
            argument,
        )

    def has_played(self, moves: list[str]) -> None:
        """Wait until these are the moves in the list, which comes after the board."""
        self.until(
            """(moves) => JSON.stringify(moves) === JSON.stringify(
                [...document.querySelectorAll('[data-role=moves] [data-ply]')]
                    .map((move) => move.firstChild.textContent.trim()))""",
            moves,
        )

    @property
    def played(self) -> list[str]:
        """The moves that are in the list at this moment."""
        found = self.page.locator("[data-role=moves] [data-ply]").evaluate_all(
            "moves => moves.map(move => move.firstChild.textContent.trim())"
        )
        return list(found)

    def is_a_grid(self) -> None:
        """Fail unless the board is a grid of rows of cells to who hears it."""
        roles = self.page.locator("#board [role]").evaluate_all(
            """all => all.map(one => one.parentNode.closest('[role]')?.getAttribute('role')
                + ' ' + one.getAttribute('role'))"""
        )
        assert set(roles) == {"undefined grid", "grid row", "row gridcell"}

    def misfits(self) -> list[Any]:
        """What sticks out or is cut off at this width, and what is too small for a finger.

        Moves need less room where there is a mouse.
        """
        found: list[Any] = self.page.evaluate(
            """async () => {
                await Promise.all([...document.querySelectorAll('link[rel=stylesheet]')].map(
                    (one) => one.sheet || new Promise((loaded) => { one.onload = loaded; })));
                const shown = (names) => [...document.querySelectorAll(names)].filter(
                    (one) => one.checkVisibility({ visibilityProperty: true }));
                const narrow = (one) => {
                    const { width, height } = one.getBoundingClientRect();
                    const least = innerWidth > 900 && one.closest('#moves') ? 27.9 : 43.9;
                    return Math.min(width, height) < least;
                };
                const right = (one) => one.getBoundingClientRect().right;
                const sticksOut = (one) => right(one) > right(one.closest('.card'));
                const wide = document.documentElement.scrollWidth - innerWidth;
                return [
                    ...(wide > 0 ? [`the page is ${wide} too wide`] : []),
                    ...shown('#moves button, #turns button').filter(
                        (one) => one.scrollWidth > one.clientWidth),
                    ...shown('.card :is(button, select, input)').filter(sticksOut),
                    ...shown('button, select, summary, a').filter(narrow),
                ].map((one) => one.outerHTML ?? one);
            }"""
        )
        return found

    def looks_right(self) -> None:
        """Fail if something is cut off, too small for a finger, or in the way of somebody."""
        assert (self.misfits(), self.barriers()) == ([], [])

    def barriers(self, part: str | None = None, every: bool = True) -> list[tuple[str, list[str]]]:
        """What axe finds wrong for people with disabilities: the rules broken, and where.

        Unless it looks at every board of a page, it looks at the first two: most are alike.
        """
        axe = pytest.importorskip(
            "axe_playwright_python.base", reason="axe-playwright-python is not installed"
        )
        if self.page.evaluate("typeof window.axe") == "undefined":
            self.page.evaluate(axe.AXE_SCRIPT)
        found = self.page.evaluate(
            """([part, every]) => axe.run(
                {
                    include: [part ?? document],
                    exclude: every ? [] : [...document.querySelectorAll('.board')].slice(2),
                },
                {
                    resultTypes: ['violations'], preload: false,
                    rules: { 'label-content-name-mismatch': { enabled: true } },
                },
            )""",
            [part, every],
        )["violations"]
        return [(rule["id"], [node["html"][:120] for node in rule["nodes"]][:3]) for rule in found]
