"""The bots in other languages in docs/examples: built as their heads say, legal, and all alike."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from command_line import completed

import kulami_solver as ks
from kulami_solver.bots.engine import Engine

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
BUILDS = {
    "largest.cpp": ("g++ -std=c++17 -O2 largest.cpp -o largest", "./largest"),
    "largest.java": ("javac -d . largest.java", "java -cp . Largest"),
}


@pytest.fixture(scope="module", params=BUILDS)
def built(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, str]:
    """Builds one; its folder, and how the arena calls it there."""
    folder = tmp_path_factory.mktemp("bot")
    shutil.copy(EXAMPLES / request.param, folder)
    build, call = BUILDS[request.param]
    for needed in build.split()[:1] + call.split()[:1]:
        if not shutil.which(needed) and needed != "./largest":
            pytest.skip(f"{needed} is not installed")
    head = (EXAMPLES / request.param).read_text(encoding="utf-8").partition("\n\n")[0]
    assert f'//     kulami check "exec {call}" --positions 100\n' in head
    assert f"//     {build}\n" in head
    ran = completed(build.split(), cwd=folder)
    assert (ran.returncode, ran.stderr) == (0, "")
    return folder, call


@pytest.fixture
def bot(built: tuple[Path, str], monkeypatch: pytest.MonkeyPatch) -> str:
    folder, call = built
    monkeypatch.chdir(folder)
    return f"exec {call}"


def largest(position: ks.Position) -> str:
    """The first legal field on the largest panel, by the package's own rules."""
    size = {
        number: len(panel.fields) for panel in position.layout.panels for number in panel.fields
    }
    return max(position.legal_fields, key=lambda name: size[position.layout.index(name)])


@pytest.mark.landing
def test_it_plays_what_it_says(bot: str) -> None:
    engine = Engine(bot.split()[1:])
    chance = random.Random(1)
    try:
        for seed in range(6):
            position = ks.Position(ks.Layout.random(seed, irregular=seed % 2 == 1))
            while not position.is_over:
                assert engine.choose(position) == largest(position), position.kfn()
                position = position.play(chance.choice(position.legal_fields))
    finally:
        engine.close()
    assert engine.title == "largest"
