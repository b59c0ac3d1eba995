"""`kulami just4fun` beside what tests/transcripts.txt has: Ctrl-C."""

from __future__ import annotations

import json

import pytest
from command_line import interrupted


@pytest.mark.landing
@pytest.mark.parametrize(
    "words", ["solve --deal 1 --stones 12 --value-only", "advise --deal 1 --time 60"]
)
def test_ctrl_c_prints_what_was_proved(words: str) -> None:
    code, out, err, _ = interrupted("just4fun", *words.split(), "--json")
    assert (code, "interrupted" in err) == (130, True)
    assert json.loads(out)["outcome"] is None if "solve" in words else json.loads(out)["estimate"]
