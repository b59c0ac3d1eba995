"""What docs/stability.md promises is kept: names, commands, answers, files and notations."""

from __future__ import annotations

import re
from pathlib import Path

import promises
import pytest
from promises import MODULES

pytestmark = pytest.mark.sources

REMEDY = (
    "docs/stability.md says what may change. If this may, and is meant for users, run  "
    "python tests/promises.py  and look at what `git diff` shows"
)


@pytest.fixture(scope="module")
def found() -> dict[str, list[str]]:
    return promises.promised()


def test_every_promise_is_kept_and_nothing_is_public_by_accident(
    found: dict[str, list[str]],
) -> None:
    changes = []
    kept = promises.recorded()
    for name in sorted({*kept, *found}):
        if name not in found and not all(map(promises.is_here, MODULES)):
            continue  # its module cannot be imported here
        before, after = kept.get(name, ["(nothing)"]), found.get(name, ["(nothing)"])
        changes += [f"- {name}: {said}" for said in before if said not in after]
        changes += [f"+ {name}: {said}" for said in after if said not in before]
    assert not changes, "\n".join((*changes, REMEDY))


def test_the_modules_of_the_documents_are_promised(repository: Path) -> None:
    documents = [repository / "README.md", *(repository / "docs").rglob("*.md")]
    shown = {
        name
        for path in documents
        for name in re.findall(
            r"from (kulami_solver[\w.]*) import",
            path.read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    }
    assert len(shown) > 5
    assert shown <= {*MODULES}
    page = (repository / "docs" / "stability.md").read_text(encoding="utf-8")
    for module in MODULES:
        assert f"`{module}`" in page or f"`{module.split('.', 2)[2]}`" in page, module


def test_every_command_with_json_is_run(found: dict[str, list[str]]) -> None:
    said = {
        name for name, options in found.items() if any(one.startswith("--json") for one in options)
    }
    run = {name.removesuffix(" --json") for name in found if name.endswith(" --json")}
    assert said == run | {"kulami serve", "kulami engine", "kulami malawi engine"} & said
