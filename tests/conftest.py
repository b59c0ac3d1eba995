"""What all tests share: Hypothesis settings and where the data shared with other projects lies.

Hypothesis draws the same examples on every run, so that a failure is a change's own. To look for
new ones, set ``HYPOTHESIS_PROFILE=search``.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import Chromium, Tab, chromium
from cluster_processes import Processes, cluster_of
from hypothesis import HealthCheck, settings
from web_server import Server, serving

ROOT = Path(__file__).resolve().parent.parent
WAITING = (ROOT / "tests" / "web", ROOT / "tests" / "cluster")
"""Folders of tests that mostly wait, for a browser, a server or workers."""
LONGEST = {"nightly": 1800, "landing": 600, "": 300}
"""Seconds that a test may take: many times what it takes on a busy machine."""

# A shell has what it starts in the background ignore Ctrl-C, and tests that press it would wait on.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# `nohup` has what it starts ignore SIGHUP, and tests that send it would wait on. With a handler of
# their own the tests go on after a hangup, and the programs that they start end by one.
if signal.getsignal(getattr(signal, "SIGHUP", signal.SIGINT)) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)

# Whoever runs the tests may speak any language; programs that they start, a browser too, go by it.
os.environ["LANGUAGE"] = "en"

# The hundreds of processes that the tests start need not compile all they import, each for itself.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

settings.register_profile(
    "fixed",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Order the tests, leave some out, and say which are run once more.

    Long tests come first, so that at the end no processor waits for another one. What reads the
    sources is left out where there are none, as where a wheel is tested. A test of the
    page, the server or the cluster waits for other processes: if it fails, it is run once more, and
    the summary counts a rerun, which shows a race to be mended. Their files are spread among the
    others, so that while one process waits, another one computes. A test that hangs is ended with
    its process, after the stacks of all threads were printed.
    """
    places: dict[Path, float] = {}
    for waits in (True, False):
        group = [item.path for item in items if (item.path.parent in WAITING) is waits]
        places |= {path: place / len(group) for place, path in reversed([*enumerate(group)])}
    items.sort(key=lambda item: (item.get_closest_marker("long") is None, places[item.path]))
    if config.pluginmanager.hasplugin("rerunfailures"):
        for item in items:
            if item.path.parent in WAITING:
                item.add_marker(pytest.mark.flaky(reruns=1))
    if config.pluginmanager.hasplugin("timeout"):
        for item in items:
            kind = next((name for name in LONGEST if item.get_closest_marker(name)), "")
            item.add_marker(pytest.mark.timeout(LONGEST[kind], method="thread"))
    if not (ROOT / "ext").is_dir():
        absent = pytest.mark.skip(
            reason="it reads the sources of the package, and they are not here"
        )
        for item in items:
            if item.get_closest_marker("sources"):
                item.add_marker(absent)


@pytest.fixture(scope="session")
def repository() -> Path:
    """The repository's root folder."""
    return ROOT


@pytest.fixture(scope="session")
def shared_testdata() -> Path:
    """The folder with games and positions refereed elsewhere; skips the test where it is absent."""
    folder = ROOT.parent / "shared" / "testdata"
    if not folder.is_dir():
        pytest.skip("../shared/testdata is not here: it lies beside the repository, not in it")
    return folder


@pytest.fixture(scope="session")
def _chromium() -> Iterator[Chromium]:
    """Headless Chromium, started once a process."""
    with chromium() as found:
        yield found


@pytest.fixture
def browser(_chromium: Chromium) -> Iterator[Any]:
    """Headless Chromium, as Playwright has it."""
    with _chromium.at_hand() as found:
        yield found


@pytest.fixture(scope="session")
def server(repository: Path) -> Iterator[Server]:
    """`kulami serve`, started once a process: every test leaves it without searches."""
    database = str(repository / "data" / "4x5-level0.kdb")
    with serving("--database", database, "--time", "60", "--threads", "1") as found:
        yield found


@pytest.fixture(scope="session")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """A scheduler and two workers, started once a process, for tests that end none of them."""
    with cluster_of(tmp_path_factory.mktemp("cluster"), 2) as started:
        yield started


@pytest.fixture
def newcomer(server: Server, browser: Any) -> Iterator[Tab]:
    """A page of the server at 1280x800, in English, and at the end without trouble."""
    found = Tab(server, browser)
    yield found
    found.close()


@pytest.fixture
def tab(newcomer: Tab) -> Tab:
    """Likewise; its reader hid the values, so the server searches for nothing unasked."""
    newcomer.remembers(values="off")
    return newcomer
