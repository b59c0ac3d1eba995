"""The page as plain files on hosts that are wrong, each in its way, and on one that is updated."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import make_static_page
import pytest
from browser import Tab, mentions, shows
from command_line import until
from static_page import Site, hosted, site_files
from web_server import Server

pytestmark = [pytest.mark.sources, pytest.mark.landing]

LATE = "#layout=AAB/AAC&moves=a1"  # valued at once
NOTED = "[...window.generations].join()"
#: Waits until the copy is kept for the next visit; a copy above it may be before it is.
KEPT = """async () => {
    const here = new URL(".", location).href;
    for (;;) {
        const kept = await navigator.serviceWorker.getRegistration();
        if (kept?.scope === here && kept.active?.state === "activated") break;
        await new Promise((go) => setTimeout(go, 50));
    }
}"""


class Visitor(Tab):
    """Somebody who comes to a host for the first time."""

    def __init__(self, site: Site, browser: Any, **options: Any) -> None:
        super().__init__(cast(Server, site), browser, viewport=None, **options)

    def goes(self, address: str = "") -> None:
        """Load an address anew."""
        self.page.goto("about:blank")
        self.page.goto(self.server.url + address)

    def leave(self) -> None:
        """Leave, whatever the browser has said of a host that is wrong."""
        self.context.close()


NO_SNIFFING = {"x-content-type-options": "nosniff"}
OF_OWN = {"content-security-policy": "default-src 'self'"}
OF_NOTHING = {"content-security-policy": "default-src 'none'"}
BEGINS = "has not started. Allow JavaScript"
WRONG_HOSTS: dict[str, tuple[dict[str, str], dict[str, str], str]] = {
    "scripts as text": ({".js": "text/plain"}, {}, "as text/plain, and the browser does not"),
    "scripts as bytes": ({".js": "application/octet-stream"}, {}, "as application/octet-stream"),
    "scripts as text for good": ({".js": "text/plain"}, NO_SNIFFING, BEGINS),
    "no WebAssembly": ({".wasm": ""}, {}, "does not have pyodide-"),
    "no archive": ({".zip": ""}, {}, ".zip (404). Load the page again"),
    "a policy": ({}, OF_OWN, "has to allow: script-src 'self' 'wasm-unsafe-eval'"),
    "a policy against everything": ({}, OF_NOTHING, BEGINS),
}


@pytest.mark.parametrize("address", [pytest.param("", marks=pytest.mark.nightly), LATE])
@pytest.mark.parametrize("host", WRONG_HOSTS)
def test_a_wrong_host_is_named_with_the_remedy(browser: Any, host: str, address: str) -> None:
    kinds, headers, said = WRONG_HOSTS[host]
    with hosted(site_files(built=False), kinds, lambda _name: headers) as site:
        tab = Visitor(site, browser)
        tab.goes(address)
        mentions(tab.page.locator("#board" if address else "body"), said)
        # It is said once: the page itself says less about it where its scripts run.
        if address and ".js" not in kinds and said != BEGINS:
            tab.page.locator("#field-wrong:not(:empty)").wait_for(state="attached")
            shows(tab.page.locator("#field-wrong:visible"), 0)
        tab.leave()


def test_a_host_that_knows_no_webassembly_will_do(browser: Any) -> None:
    unknown = dict.fromkeys((".wasm", ".zip", ".json"), "application/octet-stream")
    with hosted(site_files(built=False), unknown, lambda _name: NO_SNIFFING) as site:
        tab = Visitor(site, browser)
        tab.open(LATE)
        assert tab.page.evaluate("kulamiReady.then(() => 'ready')") == "ready"
        shows(tab.page.locator("#matter, .loading"), 0)
        tab.close()


def test_a_file_says_what_to_do(browser: Any, tmp_path: Path) -> None:
    make_static_page.write(site_files(built=False), tmp_path)
    for language, said in (("en", "python3 -m http.server"), ("de", "Aus einer Datei")):
        context = browser.new_context(locale=language)
        page = context.new_page()
        for name in ("index.html", "rules/malawi/index.html"):
            page.goto((tmp_path / name).as_uri())
            mentions(page.locator("main"), said)
        context.close()


def test_without_javascript(browser: Any) -> None:
    with hosted(site_files(built=False)) as site:
        tab = Visitor(site, browser, java_script_enabled=False)
        for name in ("", "rules/kulami/", "puzzles/kulami/"):
            tab.page.goto(site.url + name)
            mentions(tab.page.locator("main"), BEGINS)
            mentions(tab.page.locator("main"), "Erlaube ihr JavaScript")
        tab.leave()


def test_a_browser_without_webassembly(browser: Any) -> None:
    files = site_files(built=False)
    worker = next(name for name in files if name.endswith("/kulami-worker.js"))
    with hosted({**files, worker: b"self.WebAssembly = undefined;\n" + files[worker]}) as site:
        tab = Visitor(site, browser)
        tab.goes(LATE)
        mentions(tab.page.locator("#board"), "has no WebAssembly")
        tab.leave()


# Versions


def test_an_update_under_open_tabs(browser: Any) -> None:
    """Each tab has one version, whatever it loads late; a reader may load the newer one."""
    with hosted(site_files(built=False, generation="first")) as site:
        tab = Visitor(site, browser)
        tab.open(LATE)
        tab.page.evaluate(KEPT)
        other = tab.context.new_page()
        other.goto(site.url + LATE)
        other.locator("#board .field").first.wait_for(state="attached")
        site.files = site_files(built=False, generation="second")
        tab.page.reload()
        tab.sees("#newer", "There is a newer version")
        tab.page.click("#open-games")
        tab.sees("#games")
        assert tab.page.evaluate(NOTED) == "first"
        tab.click("#games [data-close]", "#newer button")
        tab.until("window.generations?.has('second')")
        tab.page.locator("#board .field").first.wait_for(state="attached")
        tab.page.click("#open-games")
        tab.sees("#games")
        assert tab.page.evaluate(NOTED) == "second"
        # The other tab goes on, and is told.
        other.click("#open-games")
        other.locator("#games").wait_for()
        assert other.evaluate(NOTED) == "first"
        other.click("#games [data-close]")
        other.click("#newer button")
        other.wait_for_function("() => window.generations?.has('second')")
        other.locator("#board .field").first.wait_for(state="attached")
        assert other.evaluate(NOTED) == "second"
        # When nobody has the older version, it goes.
        other.close()
        tab.page.reload()
        until(lambda: tab.page.evaluate("async () => (await caches.keys()).length === 1"))
        tab.close()


def test_a_version_that_is_not_whole_is_not_kept(browser: Any) -> None:
    """A host that is being updated has files of two versions."""
    older, newer = (site_files(built=False, generation=one) for one in ("first", "second"))
    with hosted(older) as site:
        tab = Visitor(site, browser)
        tab.open(LATE)
        tab.page.evaluate(KEPT)
        site.files = {**newer, "index.html": older["index.html"]}
        ended = """async () => {
            const kept = await navigator.serviceWorker.ready;
            await kept.update().catch(() => {});
            const coming = kept.installing;
            while (coming?.state === "installing") {
                await new Promise((go) => { coming.onstatechange = go; });
            }
            return coming?.state ?? "none";
        }"""
        assert tab.page.evaluate(ended) == "redundant"
        site.files = newer
        tab.page.reload()
        tab.sees("#newer")
        assert tab.page.evaluate(NOTED) == "first"
        tab.leave()


def for_ten_minutes(name: str) -> Mapping[str, str]:
    """Headers by which a browser need not ask for pages again."""
    return {"cache-control": "max-age=600"} if name.endswith(".html") else {}


def test_an_old_page_from_the_browsers_cache_loads_the_newer_one(browser: Any) -> None:
    with hosted(site_files(built=False, generation="first"), headers=for_ten_minutes) as site:
        tab = Visitor(site, browser, service_workers="block")
        tab.open(LATE)
        site.files = site_files(built=False, generation="second")
        tab.goes(LATE)
        tab.until("window.generations?.has('second')")
        tab.page.locator("#board .field").first.wait_for(state="attached")
        assert tab.page.evaluate(NOTED) == "second"
        tab.leave()


# Stores


def test_two_copies_on_a_host_have_their_own_stores(browser: Any) -> None:
    with hosted(site_files(built=False)) as site:
        tab = Visitor(site, browser)
        root = site.url.replace("/some/where/", "/")
        copies = (root, site.url, f"{root}elsewhere/")
        languages = ("de", "fr", "es")
        for language, copy in zip(languages, copies, strict=True):
            tab.page.goto(f"{copy}#layout=AAB/AAC&moves=")
            tab.page.locator("#board .field").first.wait_for(state="attached")
            tab.page.evaluate(KEPT)
            tab.page.select_option("#language", language)
            tab.sees(f"html[lang={language}]")
            tab.page.locator("#board .field[data-legal]").first.click()
            tab.stands(count=1)
        for language, copy in zip(languages, copies, strict=True):
            tab.page.goto("about:blank")
            tab.page.goto(f"{copy}#layout=AAB/AAC&moves=")
            tab.sees(f"html[lang={language}]")
            tab.page.click("#open-games")
            tab.sees("#games li [href], #games li button")
            shows(tab.page.locator("#games-list > li"), 1)
        assert tab.page.evaluate("caches.keys().then((names) => names.length)") == 3
        tab.leave()
