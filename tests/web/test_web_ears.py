"""The page for those who hear it: nothing is read here but names and announcements."""

from __future__ import annotations

import re

from browser import Tab, mentions
from command_line import SMALL

NAME = "document.activeElement.getAttribute('aria-label')"


def test_a_whole_game_by_ear(tab: Tab) -> None:
    page, live = tab.page, tab.page.locator("#live")

    def heard(key: str, start: str) -> str:
        page.keyboard.press(key)
        tab.until(f"document.querySelector('#live').textContent.startsWith({start!r})")
        return str(live.text_content())

    tab.open(f"#layout={SMALL}")
    page.get_by_role("combobox", name="Black").select_option(label="Bot: beginner")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("g")
    assert page.evaluate(NAME) == "a1, panel of 3, red 0, black 0, may be played"
    assert heard("l", "No move").endswith("made")
    moves = 0
    while True:
        fields = heard("m", "May be played: ").partition(": ")[2].split(", ")
        wanted = fields[moves % len(fields)]
        for axis, keys in enumerate((("ArrowLeft", "ArrowRight"), ("ArrowUp", "ArrowDown"))):
            while (at := page.evaluate(NAME).split(",")[0])[axis] != wanted[axis]:
                page.keyboard.press(keys[at[axis] < wanted[axis]])
        assert page.evaluate(NAME).endswith("may be played")
        page.keyboard.press("Enter")
        tab.until("/Your turn|Game over/.test(document.querySelector('#live').textContent)")
        moves += 1
        said = str(live.text_content())
        if "Game over" in said:
            break
        assert re.match(r"black has played \w\d\. Your turn: red to move, fields: \d+$", said)
        if moves == 1:
            answer = said.split()[3].strip(".")
            assert heard("l", "Black has") == f"Black has played {answer}; red has played {wanted}"
            assert re.match(r"Red \d+(, panel of \d at \w\d)+; black", heard("s", "Red "))
            assert re.search(r"of 3, red 1, black \d: a1, a2, a3\. Owner", heard("p", "Panel "))
            cells = page.get_by_role("gridcell", name="barred, the last marble lies on it")
            assert cells.count() > 0
    assert re.search(r"Game over, (red|black) cannot move: (red|black) wins by \d+|draw", said)
    page.keyboard.press("?")
    mentions(page.get_by_role("dialog"), "hear the panel of the field")
