"""Headless Chromium, one for all tests of a process, and a page of `kulami serve` in it.

The fixtures are in conftest.py: `browser`, `server` (one for all pages) and `tab`. A test that
wants a tab of its own kind makes one, and closes it:

    def test_on_a_phone(server: Server, browser: Any) -> None:
        tab = Tab(server, browser, viewport={"width": 390, "height": 844})
        tab.open("#layout=square&moves=d4")
        ...
        tab.close()

Wait for what is to be seen (`tab.stands(...)`, `reads(...)`, `tab.until(...)`, a locator), never
for the clock: what a page shows just after a click may still be what it showed before.
"""

from __future__ import annotations

import asyncio.events
import contextlib
import functools
import re
import shutil
from collections.abc import Iterator
from typing import Any

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
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("there is no chromium: on Debian, apt install chromium")
    started = playwright.sync_playwright().start()
    loop = asyncio.get_running_loop()
    try:
        # Chromium refuses its sandbox to root, who runs the tests in containers.
        # Pages of one site share a process: most of what a page costs is to start one.
        browser = started.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--process-per-site"]
        )
        found = Chromium(browser, loop)
        asyncio.events._set_running_loop(None)
        yield found
        with found.at_hand():
            browser.close()
    finally:
        asyncio.events._set_running_loop(loop)
        started.stop()


def shows(elements: Any, count: int) -> None:
    """Wait until the page has so many of these elements, a locator's; fails if it never has."""
    from playwright.sync_api import expect

    expect(elements).to_have_count(count, timeout=PATIENCE)


def reads(elements: Any, text: str) -> None:
    """Wait until this is the whole text of an element, a locator's; fails if it never is."""
    from playwright.sync_api import expect

    expect(elements).to_have_text(text, use_inner_text=True, timeout=PATIENCE)


def mentions(elements: Any, text: str) -> None:
    """Wait until an element has this in its text; fails if it never has."""
    from playwright.sync_api import expect

    expect(elements).to_contain_text(text, use_inner_text=True, timeout=PATIENCE)


def carries(elements: Any, attribute: str, value: str | None) -> None:
    """Wait until an element's attribute is this, or absent if it is None; fails if it never is."""
    from playwright.sync_api import expect

    if value is None:
        expect(elements).not_to_have_attribute(attribute, re.compile(""), timeout=PATIENCE)
    else:
        expect(elements).to_have_attribute(attribute, value, timeout=PATIENCE)


def holds(elements: Any, value: str) -> None:
    """Wait until this is in an input, or chosen of a list; fails if it never is."""
    from playwright.sync_api import expect

    expect(elements).to_have_value(value, timeout=PATIENCE)


#: Reads the games that the page keeps, the newest first; a database that is not there is not made.
_KEPT = """() => new Promise((done, failed) => {
    const request = indexedDB.open('kulami');
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


def shared_context(server: Server, browser: Any, remembers: dict[str, str]) -> Any:
    """What most tabs are opened in: one window of an American, without what earlier tabs left.

    It keeps a page of the server's open, and so the process for the next ones.
    """
    context = american_window(browser)
    kept = context.pages[0]
    if not kept.url.startswith(server.url):
        kept.goto(f"{server.url}api/health")
    kept.evaluate(
        """async (kept) => {
            localStorage.clear();
            Object.assign(localStorage, kept);
            await new Promise((done, failed) => {
                const request = indexedDB.deleteDatabase('kulami');
                Object.assign(request, { onsuccess: done, onerror: failed });
            });
        }""",
        remembers,
    )
    return context


class Tab:
    """A page in the browser, and what people do with it."""

    def __init__(
        self,
        server: Server,
        browser: Any,
        *,
        viewport: tuple[int, int] = (1280, 800),
        color_scheme: str = "light",
        locale: str = "en-US",
        remembers: dict[str, str] | None = None,
        **options: Any,
    ) -> None:
        """Open an empty tab.

        `remembers` is what earlier visits left in the page's storage, as {"values": "off"}: who
        does not look at values spares the server a search. Other options, as has_touch, are those
        of Playwright's contexts; they cost a process.
        """
        self.server = server
        self._alone = bool(options)
        if self._alone:
            assert not remembers
            self.context = browser.new_context(locale=locale, **options)
        else:
            self.context = shared_context(server, browser, remembers or {})
        self.page = self.context.new_page()
        width, height = viewport
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.emulate_media(color_scheme=color_scheme)
        if not self._alone and locale != "en-US":
            program = self.page.evaluate("navigator.userAgent")
            session = self.context.new_cdp_session(self.page)
            told = {"userAgent": program, "acceptLanguage": locale}
            session.send("Emulation.setUserAgentOverride", told)
        self.page.set_default_timeout(PATIENCE)
        self.problems: list[str] = []
        self.page.on("console", lambda message: self.problems.append(message.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self._check_host(request.url))

    def _check_host(self, url: str) -> None:
        if not url.startswith((self.server.url, "data:", "blob:")):
            self.problems.append(f"asks {url}")

    def open(self, hash_text: str = "") -> None:
        """Go to an address of the page; one that differs behind # alone does not load it anew."""
        self.page.goto(self.server.url + hash_text)
        self.page.locator("#board .field").first.wait_for(state="attached")

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
        """Wait until this is the newest marble, or until so many lie on the board."""
        if last is not None:
            self.page.locator(f'#board [data-field="{last}"][data-last="1"]').wait_for()
        if count is not None:
            self.page.locator(f'[data-role=moves] [data-ply="{count}"][aria-current]').wait_for()

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
        self.page.locator("[data-role=value][data-exact]").wait_for()
        self.page.locator("[data-role=searched]", has_text=re.compile("Proved|database")).wait_for()

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

    def looks_right(self) -> None:
        """Fail if something is cut off, too small for a finger, or in the way of somebody."""
        wide, cut, small = self.page.evaluate(
            """async () => {
                await Promise.all([...document.querySelectorAll('link[rel=stylesheet]')].map(
                    (one) => one.sheet || new Promise((loaded) => { one.onload = loaded; })));
                const shown = (names) => [...document.querySelectorAll(names)].filter(
                    (one) => one.checkVisibility({ visibilityProperty: true }));
                const narrow = (one) => {
                    const { width, height } = one.getBoundingClientRect();
                    return Math.min(width, height) < 43.9;
                };
                const right = (one) => one.getBoundingClientRect().right;
                const sticksOut = (one) => right(one) > right(one.closest('.card'));
                const html = (all) => all.map((one) => one.outerHTML);
                return [document.documentElement.scrollWidth - innerWidth,
                    html(shown('#moves button, #turns button').filter(
                        (one) => one.scrollWidth > one.clientWidth))
                        .concat(html(shown('.card :is(button, select, input)').filter(sticksOut))),
                    html(shown('button, select, summary, a').filter(narrow))];
            }"""
        )
        barriers = self.barriers()
        assert (wide, cut, small, barriers) == (0, [], [], []), (wide, cut, small, barriers)

    def barriers(self, part: str | None = None) -> list[tuple[str, list[str]]]:
        """What axe finds wrong for people with disabilities: the rules broken, and where."""
        axe = pytest.importorskip(
            "axe_playwright_python.base", reason="axe-playwright-python is not installed"
        )
        if self.page.evaluate("typeof window.axe") == "undefined":
            self.page.evaluate(axe.AXE_SCRIPT)
        found = self.page.evaluate(
            "part => axe.run(part ?? document, { resultTypes: ['violations'] })", part
        )["violations"]
        return [(rule["id"], [node["html"][:120] for node in rule["nodes"]][:3]) for rule in found]
