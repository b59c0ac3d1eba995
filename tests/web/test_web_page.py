"""The page in headless Chromium: what people see, click, type and hear."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from browser import Tab, carries, holds, mentions, reads, shows
from command_line import FINISHED, SMALL, SQUARE, good
from web_server import Server, serving

import kulami_solver as ks
from kulami_solver.bots.kulami.suite import read_suite
from kulami_solver.kulami.prove import prove

pytest.importorskip("starlette", reason="starlette is not installed: pip install -e '.[test]'")
pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install -e '.[test]'")

STATIC = Path(ks.__file__).parent / "web" / "static"
LANGUAGES = ("en", "de", "fr", "es", "nl")
LATE = f"{SQUARE} 1b2rrbr/rrrrrbbb/brr5/2b1b3/r1b1rb1b/bb1r2b1/1rbbrbr1/2r3rb r f7,b7"
SMALL_GAME = ("e4", "c4", "c3", "e3", "a3", "a4", "d4", "d2", "e2", "c2", "a2")


# Where values are not looked at, the server need not search for them.
quiet = pytest.mark.usefixtures("values_hidden")


def link(position: ks.Position, scoring: str = "0") -> str:
    """The address of a position."""
    return f"#kfn={quote(position.kfn(), safe='/,')}&scoring={scoring}"


# Opening


@quiet
def test_a_link_opens_a_position(tab: Tab) -> None:
    position = ks.Position.from_kfn(LATE)
    tab.open(link(position, "2"))
    tab.offers(set(position.legal_fields))
    shows(tab.page.locator("#board .field"), 64)
    shows(tab.page.locator('#board [data-marble="red"]'), position.red.bit_count())
    mentions(tab.role("status"), "Red to move")
    holds(tab.page.locator("#scoring"), "2")
    carries(tab.field("f7"), "data-last", "1")
    carries(tab.field("b7"), "data-last", "2")
    # The panels of the last two marbles are barred.
    shows(tab.page.locator("#board .panels [data-barred]"), 2)


@quiet
def test_the_address_carries_the_game(tab: Tab) -> None:
    tab.open("#layout=square&moves=d4,d7&first=black&scoring=1")
    position = ks.Position(ks.Layout.square(), first="black").play_all("d4 d7")
    tab.offers(set(position.legal_fields))
    tab.has_played(["d4", "d7"])
    tab.field("a7").click()
    tab.stands(last="a7")
    tab.is_at("#layout=square&first=black&moves=d4,d7,a7&scoring=1")
    tab.page.click("#undo")
    tab.stands(last="d7")
    address = tab.page.url
    assert address.endswith("moves=d4,d7,a7&scoring=1&ply=2")
    tab.page.reload()
    tab.stands(last="d7")
    tab.has_played(["d4", "d7", "a7"])
    assert tab.page.url == address


@quiet
@pytest.mark.parametrize(
    ("hash_text", "said", "played"),
    [
        ("#layout=square&moves=d4,e6", "not in the row or column", ["d4"]),
        ("#layout=AAB/ABB", "Panel A is not a rectangle", []),
        ("#kfn=nonsense", "A KFN is", []),
        ("#layout=square&scoring=9", "scoring", []),
    ],
)
def test_an_address_that_is_wrong_is_explained(
    tab: Tab, hash_text: str, said: str, played: list[str]
) -> None:
    tab.open(hash_text)
    mentions(tab.page.locator("#field-wrong"), said)
    tab.has_played(played)
    assert tab.legal


def test_first_paint_size_and_requests(server: Server, browser: Any) -> None:
    best = 10_000.0
    for _ in range(3):  # another process may have had the processor
        tab = Tab(server, browser, java_script_enabled=True)  # in a process of its own
        tab.open()
        paint, size, number = tab.page.evaluate(
            """() => {
                const files = [...performance.getEntriesByType('resource'),
                               ...performance.getEntriesByType('navigation')];
                return [performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 1e4,
                        files.reduce((sum, file) => sum + file.decodedBodySize, 0), files.length];
            }"""
        )
        tab.close()
        best = min(best, paint)
        assert size < 150_000
        assert number < 30
        if best < 600:
            break
    assert best < 600  # half of that where nothing else runs


# Values


# Opens a position by its address, waits until it is proved, and reads what the page says of it.
READ_VALUES = """async ([kfn, hash]) => {
    location.hash = hash;
    const part = (name) => document.querySelector(`[data-role=${name}]`);
    const proved = () => document.body.dataset.kfn === kfn
        && "exact" in part("value").dataset
        && /Proved|database/.test(part("searched").textContent);
    for (const begun = performance.now(); !proved();) {
        if (performance.now() - begun > 10000) throw new Error(`${kfn} is not proved`);
        await new Promise(requestAnimationFrame);
    }
    const all = (what, read) => [...document.querySelectorAll(`#board ${what}`)].map(read);
    return {
        margins: all("[data-margin]", ({ dataset }) => [dataset.field, Number(dataset.margin)]),
        kinds: all(".value-mark", (mark) => [mark.classList[1], mark.textContent]),
        value: part("value").innerText,
    };
}"""


@pytest.mark.parametrize("scoring", ["0", "1", "2", "chains"])
@pytest.mark.parametrize("count", [3, pytest.param(10, marks=pytest.mark.nightly)])
def test_values_are_those_of_solve(tab: Tab, scoring: str, count: int) -> None:
    cases = [case for case in read_suite(count=400) if case.scoring.value == scoring]
    cases = [case for case in cases if case.position.free_count <= 18][:count]
    assert len(cases) == count
    tab.open(link(cases[0].position, scoring))
    for case in cases:
        kfn = case.position.kfn()
        shown = tab.page.evaluate(READ_VALUES, [kfn, link(case.position, scoring)])
        ran = good("solve", "--kfn", kfn, "--scoring", scoring, "--all", "--json").answer
        assert dict(shown["margins"]) == {move["field"]: move["margin"] for move in ran["moves"]}
        words = {1: "wins by", 0: "draw"}
        assert words[bool(ran["margin"])] in shown["value"].lower()
        # A sign, a colour and a shape for each.
        assert len(shown["kinds"]) == len(ran["moves"])
        for kind, text in shown["kinds"]:
            value = int(text.replace("\u2212", "-"))
            assert kind == ("win" if value > 0 else "loss" if value else "draw")


def test_a_link_shows_the_values_unasked(tab: Tab) -> None:
    position = ks.Position.from_kfn(LATE)
    tab.open(link(position))
    tab.proved()
    assert tab.margins == {move.field: move.margin for move in ks.analyse(position)}
    reads(tab.role("value"), "Black wins by 4")


def test_values_come_at_once_after_a_click(tab: Tab) -> None:
    position = ks.Position.from_kfn(LATE)
    for _ in range(6):
        position = position.play(position.legal_fields[0])
    tab.open(link(position))
    tab.values()
    tab.proved()
    times = []
    for _ in range(3):
        took = tab.page.evaluate(
            """async (field) => {
                const begun = performance.now();
                const board = document.querySelector('#board');
                board.querySelector(`[data-field="${field}"] .hit`)
                     .dispatchEvent(new MouseEvent('click', { bubbles: true }));
                const there = () => board.querySelector(`[data-field="${field}"][data-last="1"]`)
                    && (!board.querySelector('[data-legal]')
                        || board.querySelector('[data-legal][data-margin]'));
                while (!there()) await new Promise(resolve => setTimeout(resolve, 5));
                return performance.now() - begun;
            }""",
            position.legal_fields[-1],
        )
        times.append(took)
        position = position.play(position.legal_fields[-1])
    assert min(times) < 300, times


def test_what_is_expected_is_told_apart_from_what_is_proved(tab: Tab) -> None:
    tab.open("#layout=square")
    tab.values()
    tab.page.locator("#board [data-estimate]").first.wait_for()
    shows(tab.page.locator("#board [data-estimate][data-lower]"), 64)
    shows(tab.page.locator("#board [data-estimate][data-margin]"), 0)
    texts = tab.page.locator("#board .value-mark.open text").all_text_contents()
    assert len(texts) == 64
    assert all(re.fullmatch(r"~[+\u2212]?[0-9]+\.[0-9]", text) for text in texts)  # of one size
    said = tab.role("value").inner_text()
    assert "not proved yet" in said
    assert said.startswith("About ")
    labels = tab.page.locator("#board .field").evaluate_all(
        "all => all.map(one => one.getAttribute('aria-label'))"
    )
    assert [label.rpartition("worth ")[2] for label in labels] == texts
    lines = tab.page.evaluate(
        """() => {
            const value = document.querySelector("[data-role=value]");
            return [value.scrollHeight, parseFloat(getComputedStyle(value).minHeight)];
        }"""
    )
    assert lines[0] <= lines[1]  # so that nothing jumps when it is proved


def test_bounds_narrow_and_nothing_jumps(tab: Tab) -> None:
    tab.open("#layout=square&moves=d4,d7,a7")
    tab.values(False)
    reads(tab.role("value"), "The values are hidden")
    shows(tab.page.locator("#board [data-lower]"), 0)
    tab.page.reload()  # which is remembered
    tab.stands(last="a7")
    reads(tab.role("value"), "The values are hidden")
    tab.page.select_option("#seconds", "2")
    tab.values()
    tab.page.locator("#board [data-lower]").first.wait_for()
    box = tab.page.locator("#moves-title").bounding_box()
    widths = tab.page.evaluate(
        """async () => {
            const widths = [];
            const said = document.querySelector("[data-role=searched]");
            while (!said.textContent.startsWith("Bounds proved after")) {
                const legal = [...document.querySelectorAll("#board [data-legal]")];
                const bounds = legal.map(({ dataset }) => dataset.upper - dataset.lower);
                widths.push(bounds.reduce((sum, width) => sum + width));
                await new Promise(resolve => new MutationObserver(resolve)
                    .observe(said, { childList: true, characterData: true, subtree: true }));
            }
            return widths;
        }"""
    )
    assert len(widths) > 3
    assert widths == sorted(widths, reverse=True)
    assert all(width > 0 for width in widths)
    mentions(tab.role("value"), "not proved yet")
    # Where nothing is proved a bot says what it would do, and it is called a guess.
    tab.page.locator("[data-role=line]", has_text="A bot's guess, not proved: ").wait_for()
    shows(tab.page.locator("#board .guess"), 1)
    mentions(tab.role("searched"), "Bounds proved after")
    assert tab.page.locator("#moves-title").bounding_box() == box


def test_a_database_answers(tab: Tab) -> None:
    tab.open(f"#layout={SMALL}")
    tab.values()
    tab.page.locator("[data-role=searched]", has_text="From a database").wait_for()
    reads(tab.role("value"), "Red wins by 2")
    assert max(tab.margins.values()) == 2


def test_a_proof_answers(server: Server, browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "small.kpf"
    prove(path, ks.Position(ks.Layout.parse(SMALL)), semi_strong=True)
    said = {"en": "From a proof", "de": "Aus einem Beweis", "fr": "une preuve"}
    said |= {"es": "De una demostración", "nl": "Uit een bewijs"}
    with serving("--proof", str(path)) as found:
        for language in LANGUAGES:
            tab = Tab(found, browser, locale=language)
            tab.open(f"#layout={SMALL}")
            tab.values()
            tab.page.locator("[data-role=searched]", has_text=said[language]).wait_for()
            assert max(tab.margins.values()) == 2
            tab.close()


def test_scoring_and_goal_can_be_changed(tab: Tab) -> None:
    position = ks.Position(ks.Layout.parse(SMALL)).play_all("d3 b3")
    tab.open(link(position))
    tab.values()
    for scoring in ks.Scoring:
        tab.page.select_option("#scoring", scoring.value)
        tab.page.locator("[data-role=value][data-exact]").wait_for()
        margins = {move.field: move.margin for move in ks.analyse(position, scoring)}
        # Those of the scoring before may be there for a moment still.
        deadline = time.monotonic() + 10
        while tab.margins != margins:
            assert time.monotonic() < deadline, (tab.margins, margins)
            time.sleep(0.05)
    tab.page.select_option("#goal", "outcome")
    tab.page.locator("[data-role=value]", has_text=re.compile("wins$|draw")).wait_for()


def test_hovering_shows_where_a_field_leads(tab: Tab) -> None:
    position = ks.Position(ks.Layout.parse(SMALL)).play_all("d3 b3")
    tab.open(link(position, "1"))
    tab.values()
    tab.proved()
    assert tab.page.locator("#board .arrows path").count() > 1
    worst = min(tab.margins, key=lambda field: tab.margins[field])
    tab.field(worst).hover()
    line = tab.page.locator("[data-role=line]", has_text=re.compile(rf"^{worst} \(.*\): "))
    line.wait_for()
    fields = line.inner_text().partition(": ")[2].split()
    end = position.play(worst).play_all(fields)
    assert end.is_over
    margin = end.margin(ks.Scoring.LEVEL1) * (1 if end.turn == position.turn else -1)
    assert margin == tab.margins[worst]
    tab.page.mouse.move(2, 2)
    tab.page.locator("[data-role=line]", has_text="Best: ").wait_for()


# Playing


@quiet
def test_a_game_with_the_mouse_against_a_bot_to_its_end(tab: Tab) -> None:
    tab.open(f"#layout={SMALL}")
    tab.page.select_option("#player-black", "alphabeta:2")
    position = ks.Position(ks.Layout.parse(SMALL))
    moves: list[str] = []
    while not position.is_over:
        moves.append(position.legal_fields[len(position.legal_fields) // 2])
        tab.field(moves[-1]).click()
        position = position.play(moves[-1])
        if not position.is_over:
            tab.stands(count=len(moves) + 1)
            assert tab.played[:-1] == moves
            moves = tab.played
            position = position.play(moves[-1])
    tab.stands(last=position.last[0])
    score = position.score()
    said = tab.role("status").inner_text()
    assert said.startswith("Game over")
    leader = "red" if score.margin > 0 else "black"
    assert (f"{leader} wins by {abs(score.margin)}" if score.margin else "draw") in said
    reads(tab.page.locator("[data-score=red]"), str(score.red))
    reads(tab.page.locator("[data-score=black]"), str(score.black))
    tab.offers(set())


@quiet
def test_a_game_with_the_keyboard_alone(tab: Tab) -> None:
    tab.open("#layout=AABB/AABB/CCDD")
    tab.page.keyboard.press("Tab")
    page = tab.page
    # Reached by tabbing: the board is one stop, on one field.
    for _ in range(12):
        if page.evaluate("document.activeElement.getAttribute('role')") == "gridcell":
            break
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.field") == "a1"
    shows(page.locator('#board [tabindex="0"]'), 1)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.field") == "b2"
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.dataset.field") == "d2"
    page.keyboard.press("Home")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")  # nothing is there
    position = ks.Position(ks.Layout.parse("AABB/AABB/CCDD"))
    at = (0, 0)
    while not position.is_over:
        field = position.legal_fields[0]
        there = position.layout.squares[position.layout.index(field)]
        for axis, keys in ((0, ("ArrowLeft", "ArrowRight")), (1, ("ArrowUp", "ArrowDown"))):
            for _ in range(abs(there[axis] - at[axis])):
                page.keyboard.press(keys[there[axis] > at[axis]])
        assert page.evaluate("document.activeElement.dataset.field") == field
        page.keyboard.press("Enter")
        tab.stands(last=field)
        at, position = there, position.play(field)
    assert tab.role("status").inner_text().startswith("Game over")
    assert "wins by" in page.inner_text("#live") or "draw" in page.inner_text("#live")
    page.keyboard.press("u")
    tab.stands(last=position.last[1])
    page.keyboard.press("r")
    tab.stands(last=position.last[0])
    page.keyboard.press("?")
    page.locator("#help[open]").wait_for()
    assert page.locator("#help kbd").count() > 12
    page.keyboard.press("Escape")
    shows(page.locator("#help[open]"), 0)


def test_a_game_by_touch_on_a_phone(server: Server, browser: Any) -> None:
    tab = Tab(server, browser, viewport=(390, 844), has_touch=True)
    tab.open("#layout=AABB/AABB/CCDD")
    tab.page.select_option("#player-black", "perfect 1")
    position = ks.Position(ks.Layout.parse("AABB/AABB/CCDD"))
    moves: list[str] = []
    while not position.is_over:
        moves.append(position.legal_fields[0])
        tab.field(moves[-1]).tap()
        position = position.play(moves[-1])
        if not position.is_over:
            tab.stands(count=len(moves) + 1)
            moves = tab.played
            position = position.play(moves[-1])
    tab.page.locator("[data-role=status]", has_text="Game over").wait_for()
    tab.close()


def test_who_is_quicker_than_the_server_can_play(tab: Tab) -> None:
    tab.page.route("**/api/options", lambda _route: None)  # never answered
    tab.open("#layout=square")
    tab.field("d4").click()
    tab.stands(last="d4")
    # Three clicks before the first is answered: the last position counts.
    tab.page.evaluate(
        """() => { for (const id of ['undo', 'redo', 'undo', 'redo']) {
            const button = document.getElementById(id); button.disabled = false; button.click();
        } }"""
    )
    tab.stands(last="d4")
    tab.is_at("&moves=d4&scoring=0")
    tab.open(link(ks.Position.from_kfn(LATE)))
    tab.proved()


def test_an_address_opened_while_an_answer_comes(tab: Tab) -> None:
    tab.open("#layout=square&moves=d4")
    # The answer to Undo comes after the address has changed, and before the page is told so.
    tab.page.evaluate(
        """() => {
            const { fetch } = window;
            window.fetch = async (path, options) => {
                const answer = await fetch(path, options);
                if (!path.includes("position")) return answer;
                const said = await answer.json();
                await new Promise((go) => { window.deliver = go; });
                return { ok: true, status: 200, headers: answer.headers, json: async () => said };
            };
            document.getElementById("undo").click();
        }"""
    )
    tab.until("() => window.deliver")
    tab.page.evaluate(
        """(hash) => {
            location.hash = hash;
            window.deliver();
            delete window.deliver;
        }""",
        link(ks.Position.from_kfn(LATE)),
    )
    tab.until("() => window.deliver")
    tab.page.evaluate("() => window.deliver()")
    tab.proved()
    tab.is_at(link(ks.Position.from_kfn(LATE)))


def test_space_plays_the_best_move(tab: Tab) -> None:
    position = ks.Position(ks.Layout.parse(SMALL)).play_all("d3 b3")
    tab.open(link(position, "1"))
    value = ks.solve(position, "1").margin
    tab.values(False)
    tab.page.keyboard.press("g")
    tab.page.keyboard.press("Space")  # shows the values first
    tab.proved()
    tab.page.keyboard.press("Space")
    tab.stands(count=1)
    (played,) = tab.played
    after = ks.solve(position.play(played), "1").margin
    assert after is not None
    assert -after == value


def test_space_says_when_no_move_is_known_to_be_the_best(tab: Tab) -> None:
    tab.open("#layout=square")
    tab.values()
    tab.page.locator("#board [data-estimate]").first.wait_for()
    tab.page.keyboard.press("g")
    tab.page.keyboard.press("Space")
    reads(tab.page.locator("#field-wrong"), "The best move is not known yet")
    reads(tab.page.locator("#live"), "The best move is not known yet")
    tab.has_played([])


@quiet
def test_a_typed_move_that_is_none_is_quoted_as_it_is(tab: Tab) -> None:
    """Without its number; sentences that begin with no quotation have a capital."""
    tab.open("#layout=square&moves=d4,d7")
    form = "write a column letter in lower case, then a row number, like d4"
    for typed, told in (
        ("zz", f"'zz' is not a field: {form}"),
        ("d7", "Red cannot play d7: it is taken"),
    ):
        tab.page.fill("#field", typed)
        tab.page.keyboard.press("Enter")
        reads(tab.page.locator("#field-wrong"), told)


@quiet
def test_typed_fields_undo_redo_and_jumps(tab: Tab) -> None:
    tab.open("#layout=rulebook")
    for typed, field in (("D6", "d6"), (" d3 ", "d3"), ("i3", "i3")):
        tab.page.fill("#field", typed)
        tab.page.keyboard.press("Enter")
        tab.stands(last=field)
    for typed, said in (
        ("d6", "black cannot play d6: it is taken"),
        ("a1", "there is no field a1 in this layout"),
        ("zz", "is not a field"),
        ("a4", "not in the row or column of the last marble, i3"),
    ):
        tab.page.fill("#field", typed)
        tab.page.keyboard.press("Enter")
        tab.page.locator("#field-wrong", has_text=said).wait_for()
    tab.page.click("#to-start")
    shows(tab.page.locator("#board [data-marble]"), 0)
    tab.page.click("#redo")
    tab.stands(last="d6")
    tab.page.click('[data-role=moves] [data-ply="3"]')
    tab.stands(last="i3")
    tab.page.click("#undo")
    tab.stands(last="d3")
    tab.field("b3").click()  # another move than before: what came after is gone
    tab.stands(last="b3")
    tab.has_played(["d6", "d3", "b3"])
    tab.page.click("#new-game")
    tab.page.locator("#moves:empty").wait_for(state="attached")
    tab.is_at("#layout=rulebook&first=red&scoring=0")


def test_values_are_hidden_from_who_plays_a_bot_until_asked_for(tab: Tab) -> None:
    tab.open(f"#layout={SMALL}")
    tab.proved()  # they are there until then
    tab.page.select_option("#player-red", "perfect 1")
    tab.stands(count=1)
    carries(tab.page.locator("#values"), "aria-checked", "false")
    assert tab.margins == {}
    reads(tab.role("value"), "The values are hidden")
    tab.page.keyboard.press("Escape")
    tab.page.locator("#board-title").evaluate("() => document.activeElement.blur()")
    tab.page.keyboard.press("v")
    tab.proved()
    assert tab.margins
    field = min(tab.legal)
    tab.field(field).click()
    tab.stands(count=3)
    tab.page.click("#undo")  # back to where the person is to move
    tab.stands(count=1)


@quiet
def test_the_board_can_be_flipped(tab: Tab) -> None:
    tab.open("#layout=square&moves=a1")
    before = tab.field("a1").bounding_box()
    tab.page.click("#flip")
    after = tab.field("a1").bounding_box()
    assert after["x"] > before["x"] + 300
    assert after["y"] > before["y"] + 300
    tab.field("a4").click()
    tab.stands(last="a4")
    tab.page.keyboard.press("f")
    assert tab.field("a1").bounding_box() == before


@quiet
def test_panels_areas_and_chains_on_demand(tab: Tab) -> None:
    position = ks.Position.from_kfn(FINISHED)
    tab.open(link(position, "2"))
    rows = tab.role("score").locator("tbody tr").all_inner_texts()
    assert [re.findall(r"\d+", row) for row in rows] == [
        ["31", "27"],
        ["12", "17"],
        ["12", "15"],
        ["31", "35"],
    ]
    assert tab.page.locator("#board .chains line").first.is_hidden()
    for part in ("panels", "area", "chains"):
        tab.page.click(f"[data-show={part}]")
        carries(tab.page.locator(f"[data-show={part}]"), "aria-pressed", "true")
    shows(tab.page.locator("#board .chains line.red"), 2)
    shows(tab.page.locator("#board .chains line.black"), 3)
    shows(tab.page.locator('#board [data-area="red"]'), 12)
    shows(tab.page.locator('#board [data-area="black"]'), 17)
    mentions(tab.role("status"), "black wins by 4")
    tab.page.select_option("#scoring", "0")  # the table is drawn anew, and what is shown stays so
    tab.page.locator("[data-score=red]", has_text="31").wait_for()
    carries(tab.page.locator("[data-show=area]"), "aria-pressed", "true")


@quiet
def test_moves_before_what_is_solved_have_estimates(tab: Tab) -> None:
    told: list[tuple[str, dict[str, Any]]] = [("grade", {"moves": []})]
    for ply, margin in ((2, -0.25), (1, 1.4)):
        told.append(("estimate", {"ply": ply, "estimate": {"margin": margin}}))
    body = "".join(f"event: {kind}\ndata: {json.dumps(said)}\n\n" for kind, said in told)
    tab.page.route(
        "**/grade", lambda route: route.fulfill(content_type="text/event-stream", body=body)
    )
    tab.open("#layout=square&moves=d4,d7")
    tab.page.click("#grade")
    reads(tab.page.locator('#moves [data-ply="1"] .worth'), "~+1.4")
    reads(tab.page.locator('#moves [data-ply="2"] .worth'), "~\u22120.3")
    carries(tab.page.locator('#moves [data-ply="1"]'), "data-cost", None)
    label = tab.page.locator('#moves [data-ply="1"]').get_attribute("aria-label")
    assert label == "Move 1, red d4, worth ~+1.4"


@quiet
def test_why_a_move_has_changed_who_wins_is_said(tab: Tab) -> None:
    moves = "d2,d5,d4,a4,a6,a1,a3,c3,c6,c2,c4,b4,b2,b6,d6,d3,d1,b1,b3,b5,c5,c1"
    tab.open(f"#layout=AABB/AABB/CCDD/CCDD/EEFF/EEFF&moves={moves}")
    tab.page.click("#grade")
    why = tab.page.locator("#moves .below")
    reads(
        why,
        "A draw becomes a loss: b5 follows; in the end a5-b6 is black's, not red's; c1-d2 is "
        "nobody's, not red's (compared with b5)",
    )
    tab.page.select_option("#language", "de")
    mentions(why, "Aus Unentschieden wird Niederlage: es folgt b5; am Ende a5-b6: Schwarz")
    tab.page.select_option("#language", "en")
    # Who guesses the moves is not told which one comes next.
    tab.page.locator("#guess:enabled").click()
    tab.page.locator("#guess-next").wait_for()
    shows(why, 0)


@quiet
def test_a_game_is_graded(tab: Tab, tmp_path: Path) -> None:
    start = ks.Position(ks.Layout.parse(SMALL))
    position, moves = start, []
    while not position.is_over:
        moves.append(position.legal_fields[-1])
        position = position.play(moves[-1])
    score = position.score()
    record: dict[str, Any] = {"board": SMALL, "level": 0, "first": "red", "moves": moves}
    record["score"] = {"red": score.red, "black": score.black}
    path = tmp_path / "game.jsonl"
    path.write_text(json.dumps(record))
    graded = good("grade", str(path), "--json").answer
    tab.open(f"#layout={SMALL}&moves={','.join(moves)}")
    tab.page.click("#grade")
    tab.page.locator("#graded", has_text="best moves").wait_for()
    told = tab.page.locator("[data-role=moves] [data-ply]").evaluate_all(
        "moves => moves.map(move => Number(move.dataset.cost))"
    )
    assert told == [move["cost"] for move in graded["moves"]]
    said = tab.page.inner_text("#graded")
    for side in ("red", "black"):
        assert f"{side.capitalize()}: {round(100 * graded[side]['accuracy'])} % best moves" in said
        assert f"{graded[side]['lost']} points lost" in said
    flips = len(graded["turning_points"])
    mistakes = sum(move["cost"] > 0 for move in graded["moves"])
    assert mistakes
    shows(tab.page.locator("#graph .flip"), flips)
    shows(tab.page.locator("#graph .mistake"), mistakes - flips)
    # n and b go from one mistake to the next.
    plies = [move["ply"] for move in graded["moves"] if move["cost"]]
    tab.page.click("#to-start")
    tab.page.keyboard.press("Tab")
    tab.page.evaluate("document.activeElement.blur()")
    for ply in plies:
        tab.page.keyboard.press("n")
        tab.stands(count=ply)
    if len(plies) > 1:
        tab.page.keyboard.press("b")
        tab.stands(count=plies[-2])
    box = tab.page.locator("#graph svg").bounding_box()
    tab.page.mouse.click(box["x"] + box["width"] - 12, box["y"] + 20)
    tab.stands(count=len(moves))


# Any position


@quiet
def test_layouts_to_choose(tab: Tab) -> None:
    tab.open()
    tab.page.click("#open-setup")
    tab.page.locator("#preview svg").wait_for()
    tab.page.click("#layout-rulebook")
    # It is an image with a name, without fields to go through.
    board = tab.page.get_by_role("img", name="Board", exact=True)
    board.locator("text", has_text="i").wait_for()
    shows(tab.page.locator("#preview :is([role=grid], [tabindex])"), 0)
    tab.page.fill("#seed", "5")
    tab.page.check("#irregular")
    random = str(ks.Layout.random(5, irregular=True))
    tab.page.locator("#seed").blur()
    tab.until("text => document.querySelector('#layout-text').value === text", random)
    for typed, taken in (("-5", "0"), ("1.5", "1"), ("1e12", "999999999")):
        tab.page.fill("#seed", typed)
        tab.page.locator("#seed").blur()
        holds(tab.page.locator("#seed"), taken)
        random = str(ks.Layout.random(int(taken), irregular=True))
        tab.until("text => document.querySelector('#layout-text').value === text", random)
    shows(tab.page.locator("#small option"), 600)
    tab.page.fill("#layout-text", "AAB/ABB")
    tab.page.locator("#layout-text").blur()
    tab.page.locator("#layout-wrong", has_text="panel A is not a rectangle").wait_for()
    tab.page.select_option("#small", "AAA/BBB/CCC")
    tab.page.locator("#layout-wrong:empty").wait_for(state="attached")
    tab.page.select_option("#first", "black")
    tab.page.fill("#marbles", "3")
    tab.page.check("#short-end")
    tab.page.click("#new-layout .main")
    tab.page.locator("#setup").wait_for(state="hidden")
    tab.page.locator("[data-role=status]", has_text="black to move").wait_for()
    shows(tab.page.locator("#board .field"), 9)
    tab.is_at("#layout=AAA/BBB/CCC&first=black&marbles=3&short_end=true&scoring=0")
    tab.page.reload()
    tab.field("a1").wait_for()
    shows(tab.page.locator("#board .field"), 9)


@quiet
def test_a_layout_is_drawn(tab: Tab) -> None:
    tab.open()
    tab.page.click("#open-setup")
    tab.page.click("#tab-panels")
    tab.page.click("#panels-clear")
    grid = tab.page.locator("#panels-grid")

    def square(column: int, row: int) -> Any:
        return grid.locator(f'[data-square="{column},{row}"]')

    def drag(one: tuple[int, int], other: tuple[int, int]) -> None:
        first, last = square(*one).bounding_box(), square(*other).bounding_box()
        tab.page.mouse.move(first["x"] + 8, first["y"] + 8)
        tab.page.mouse.down()
        tab.page.mouse.move(last["x"] + 8, last["y"] + 8, steps=4)
        tab.page.mouse.up()

    drag((1, 1), (2, 3))
    drag((3, 1), (4, 2))
    shows(grid.locator("[data-tone]"), 10)
    drag((2, 3), (3, 3))
    mentions(tab.page.locator("#panels-wrong"), "There is a panel already (A)")
    # The third with the keyboard, and one that is taken away again.
    square(0, 0).click()
    square(0, 0).click()
    square(0, 0).focus()
    for key in ("ArrowRight",) * 3 + ("ArrowDown",) * 3 + ("Enter", "ArrowRight", "Enter"):
        tab.page.keyboard.press(key)
    for key in ("ArrowDown", "Enter", "Enter", "Delete"):
        tab.page.keyboard.press(key)
    mentions(tab.page.locator("#panels-left"), "2\u00d73: 1/4")
    tab.page.click("#panels-use")
    tab.page.locator("#setup").wait_for(state="hidden")
    tab.page.locator("#board .field").nth(11).wait_for()
    tab.page.locator('body[data-kfn^="AABB/AABB/AACC "]').wait_for()
    tab.page.click("#open-setup")
    tab.page.click("#tab-panels")
    tab.page.click("#panels-clear")
    tab.page.click("#panels-use")
    tab.page.locator("#panels-wrong", has_text="no field").wait_for()
    drag((0, 0), (0, 1))
    drag((5, 5), (5, 6))
    tab.page.locator("#panels-note", has_text="not in one piece: A / B do not touch").wait_for()


@quiet
def test_a_position_is_edited(tab: Tab) -> None:
    tab.open("#layout=AABB/AABB/CCDD")
    tab.page.click("#open-setup")
    tab.page.click("#tab-position")
    board = tab.page.locator("#arrange-board")

    def put(tool: str, *fields: str) -> None:
        tab.page.check(f"input[name=tool][value={tool}]")
        for field in fields:
            board.locator(f'[data-field="{field}"]').click()

    put("red", "a1", "c2")
    tab.page.click("#arrange .main")
    tab.page.locator("#arrange-wrong", has_text="they differ by at most one").wait_for()
    put("none", "c2")
    put("black", "d1")
    put("last", "d1")
    put("before", "a1")
    tab.page.select_option("#arrange-turn", "red")
    tab.page.click("#arrange .main")
    tab.page.locator("#setup").wait_for(state="hidden")
    position = ks.Position(ks.Layout.parse("AABB/AABB/CCDD")).play_all("a1 d1")
    tab.page.locator(f'body[data-kfn="{position.kfn()}"]').wait_for()
    tab.offers(set(position.legal_fields))


@quiet
def test_every_notation_goes_out_and_comes_in(tab: Tab, tmp_path: Path) -> None:
    position = ks.Position(ks.Layout.square()).play_all("d4 d7 a7")
    tab.open("#layout=square&moves=d4,d7,a7&scoring=chains")
    tab.page.click("#open-share")
    tab.page.locator("#export-hagen").wait_for()
    names = ("link", "kfn", "layout", "record", "kbn", "hagen")
    out = {name: tab.page.input_value(f"#export-{name}") for name in names}
    assert out["kfn"] == position.kfn()
    assert out["hagen"] == position.hagen()
    assert out["kbn"] == position.kbn()
    assert json.loads(out["record"])["moves"] == ["d4", "d7", "a7"]
    for name in ("svg", "png"):
        with tab.page.expect_download() as download:
            tab.page.click(f"#save-{name}")
        path = tmp_path / f"board.{name}"
        download.value.save_as(path)
        assert path.read_bytes() == (position.png() if name == "png" else position.svg().encode())
    tab.page.keyboard.press("Escape")
    for name in names:
        tab.open("#layout=AAB/AAC")
        tab.page.locator('body[data-kfn^="AAB/AAC "]').wait_for()
        tab.page.click("#open-setup")
        tab.page.click("#tab-import")
        if name == "hagen":
            tab.page.fill("#pasted", out[name])
            tab.page.click("#take-in .main")
            tab.page.locator("#import-wrong", has_text="does not say who is to move").wait_for()
            tab.page.click("#take-in summary")
            tab.page.select_option("#import-turn", "black")
            tab.page.fill("#import-last", "a7, d7")
        tab.page.fill("#pasted", out[name])
        tab.page.click("#take-in .main")
        tab.page.locator("#setup").wait_for(state="hidden")
        if name == "layout":
            tab.page.locator(f'body[data-kfn^="{SQUARE} -"]').wait_for()
        else:
            tab.stands(last="a7")
            carries(tab.field("d4"), "data-marble", "red")
        if name in ("link", "record"):
            tab.has_played(["d4", "d7", "a7"])
            holds(tab.page.locator("#scoring"), "chains")
    tab.page.click("#open-setup")
    tab.page.click("#tab-import")
    tab.page.fill("#pasted", "what is this")
    tab.page.click("#take-in .main")
    tab.page.locator("#import-wrong", has_text="a KFN is").wait_for()


@quiet
def test_files_are_dropped_and_texts_pasted(tab: Tab, shared_testdata: Path) -> None:
    games = (shared_testdata / "referee-games.jsonl").read_text().splitlines()
    tab.open()
    tab.page.evaluate(
        """([name, text]) => {
            const data = new DataTransfer();
            data.items.add(new File([text], name));
            document.body.dispatchEvent(new DragEvent('drop',
                { dataTransfer: data, bubbles: true, cancelable: true }));
        }""",
        ["games.jsonl", "\n".join(games)],
    )
    record = json.loads(games[0])
    tab.stands(count=len(record["moves"]))
    tab.has_played(record["moves"])
    tab.paste(LATE)
    tab.page.locator(f'body[data-kfn="{LATE}"]').wait_for()


# Everyone


WEB = STATIC.parent
GAMES = ("kulami", "malawi", "just4fun")


def sources_of(folder: Path) -> str:
    """All that a folder gives to the browser but its texts."""
    return "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.[jh]*")))


def keys_used(sources: str) -> set[str]:
    """The names of texts that sources ask for in so many words."""
    found = set(re.findall(r'\bt\(\s*"(\w+)"', sources))
    found |= set(re.findall(r'(?:text: |\? |: )"(key_\w+|bot_\w+)"', sources))
    return found | set(re.findall(r'data-(?:text|label)="(\w+)"', sources))


def texts_of(language: str, folder: Path = STATIC) -> dict[str, str]:
    """A language's texts: those of the page, or those of a game."""
    path = folder / "texts" / f"{language}.json"
    found: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return found


def test_every_text_is_there_in_five_languages() -> None:
    # tests/web/test_web_sentences.py looks at the server's sentences.
    own = {game: WEB / game / "static" for game in GAMES}
    shared = sources_of(STATIC)
    assert keys_used(shared) <= {*texts_of("en")}
    for folder in (STATIC, *own.values()):
        assert {path.stem for path in (folder / "texts").iterdir()} == set(LANGUAGES)
        sources = shared + "".join(map(sources_of, own.values() if folder == STATIC else [folder]))
        english = texts_of("en", folder)
        assert keys_used(sources_of(folder)) <= {*english, *texts_of("en")}
        for name in english:
            stem = re.sub(r"_[a-z0-9]+$", "", name)
            whole = re.search(rf"""["'`]{name}["'`]""", sources)
            built = {f"{stem}_${{", f"{name.partition('_')[0]}_${{"}
            assert whole or any(start in sources for start in built), name
        for language in LANGUAGES:
            found = texts_of(language, folder)
            assert list(found) == list(english), language
            for name, text in found.items():
                assert text.strip(), (language, name)
                holes = set(re.findall(r"\{(\w+)[|}]", text))
                assert holes == set(re.findall(r"\{(\w+)[|}]", english[name])), (language, name)
                assert ("|" in text) == ("|" in english[name]), (language, name)
            same = [name for name in english if found[name] == english[name]]
            assert language == "en" or len(same) < 20, same
    for path in (STATIC / "index.html", own["kulami"] / "setup.html"):
        for element in re.findall(r'data-text="\w+"[^>]*>[^<]*<', path.read_text(encoding="utf-8")):
            assert element.rstrip("<").partition(">")[2], element


@pytest.mark.parametrize(
    "language",
    ["en", "de", *(pytest.param(name, marks=pytest.mark.nightly) for name in ("fr", "es", "nl"))],
)
def test_the_page_speaks_the_language(server: Server, browser: Any, language: str) -> None:
    texts = texts_of(language) | texts_of(language, WEB / "kulami" / "static")
    tab = Tab(server, browser, locale={"en": "en-GB"}.get(language, language))
    tab.open("#layout=square&moves=d4")
    carries(tab.page.locator("html"), "lang", language)
    reads(tab.page.locator("#new-game"), texts["new_game"])
    assert texts["black"] in (tab.role("status").text_content() or "")
    tab.page.click("#open-setup")
    tab.page.locator("#preview svg").wait_for()
    shown = set(
        tab.page.locator("[data-text]").evaluate_all("all => all.map(one => one.textContent)")
    )
    assert shown <= set(texts.values())
    tab.page.keyboard.press("Escape")
    other = "de" if language != "de" else "nl"
    tab.page.select_option("#language", other)
    again = texts_of(other)
    tab.page.locator("#new-game", has_text=again["new_game"]).wait_for()
    assert again["black"] in (tab.role("status").text_content() or "")
    tab.page.reload()
    tab.page.locator("#new-game", has_text=again["new_game"]).wait_for()
    tab.field("d4").wait_for()
    tab.close()


def test_moves_and_values_are_spoken(tab: Tab) -> None:
    tab.open(f"#layout={SMALL}&scoring=1")
    tab.values(False)
    live = tab.page.locator("[aria-live=polite]")
    shows(live, 1)
    tab.field("d3").click()
    tab.page.locator("#live", has_text="red has played d3. black to move").wait_for()
    carries(tab.field("d3"), "aria-label", "d3, red, newest marble")
    carries(tab.field("d1"), "aria-label", "d1, may be played")
    tab.values()
    tab.proved()
    said = tab.role("value").inner_text()
    tab.page.locator("#live", has_text=said).wait_for()
    written = set()
    for name in tab.margins:
        worth = tab.field(name).get_attribute("aria-label").rpartition(", worth ")[2]
        written.add(worth)
    assert written == {*tab.page.locator("#board .value-mark text").all_text_contents()}
    roles = tab.page.locator("#board [role]").evaluate_all(
        """all => all.map(one => one.parentNode.closest('[role]')?.getAttribute('role')
            + ' ' + one.getAttribute('role'))"""
    )
    assert set(roles) == {"undefined grid", "grid row", "row gridcell"}


# Colours do not go by the width: that each is seen at one of them is enough by day.
@pytest.mark.parametrize(
    ("width", "schemes"),
    [
        (1280, ("dark",)),
        (390, ("light",)),
        pytest.param(1280, ("dark", "light"), marks=pytest.mark.nightly),
        pytest.param(390, ("light", "dark"), marks=pytest.mark.nightly),
    ],
)
def test_nothing_is_cut_off_and_axe_has_nothing_to_say(
    server: Server, browser: Any, width: int, schemes: tuple[str, ...]
) -> None:
    tab = Tab(server, browser, viewport=(width, 844))

    def check(where: str, part: str | None = None) -> None:
        # Nothing sticks out to the right.
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= width, where
        assert tab.barriers(part) == [], where

    def check_in_each(where: str, part: str | None = None) -> None:
        for scheme in schemes:
            tab.page.emulate_media(color_scheme=scheme)
            check(f"{where}, {scheme}", part)

    tab.open(link(ks.Position.from_kfn(LATE)))
    tab.proved()
    check_in_each("values")
    tab.open(f"#layout={SMALL}&moves={','.join(SMALL_GAME)}&scoring=2")
    tab.stands(count=len(SMALL_GAME))
    tab.page.click("#grade")
    tab.page.locator("#graded", has_text="best moves").wait_for()
    check_in_each("graded", ".side")
    tab.page.click("#open-setup")
    for name, part in (
        ("layout", "#preview svg"),
        ("panels", "#panels-grid [data-square]"),
        ("position", "#arrange-board svg"),
        ("import", "#pasted"),
    ):
        tab.page.click(f"#tab-{name}")
        tab.page.locator(part).first.wait_for()
        check_in_each(name, "#setup")
    tab.page.keyboard.press("Escape")
    tab.page.click("#open-share")
    tab.page.locator("#export-hagen").wait_for()
    check_in_each("share", "#sharing")
    tab.page.keyboard.press("Escape")
    tab.page.click("#open-help")
    check_in_each("help", "#help")
    tab.close()


@quiet
def test_light_and_dark_can_be_chosen(tab: Tab) -> None:
    tab.open()
    paper = "getComputedStyle(document.body).backgroundColor"
    light = tab.page.evaluate(paper)
    tab.page.click("#theme")
    tab.page.click("#theme")
    dark = tab.page.evaluate(paper)
    assert dark != light
    tab.page.reload()
    tab.field("a1").wait_for()
    assert tab.page.evaluate(paper) == dark


def test_a_server_that_has_gone_is_said_to_be(repository: Path, browser: Any) -> None:
    with serving() as found:
        tab = Tab(found, browser)
        tab.open("#layout=rulebook&moves=d6")
    tab.field("d3").click()
    tab.page.locator("#field-wrong", has_text="is 'kulami serve' still running?").wait_for()
    # What has been played is not lost.
    tab.is_at("#layout=rulebook&first=red&moves=d6&scoring=0")
    carries(tab.field("d6"), "data-last", "1")
    tab.problems = [said for said in tab.problems if "net::ERR_" not in said]
    tab.close()


@pytest.mark.parametrize(
    ("language", "one", "several"),
    [
        ("en", "1 point lost", "2 points lost"),
        ("de", "1 Punkt verschenkt", "2 Punkte verschenkt"),
        ("fr", "1 point perdu", "2 points perdus"),
        ("es", "1 punto perdido", "2 puntos perdidos"),
        ("nl", "1 punt verloren", "2 punten verloren"),
    ],
)
def test_one_of_a_thing_is_said_so(
    server: Server, browser: Any, language: str, one: str, several: str
) -> None:
    tab = Tab(server, browser, locale=language)
    tab.open("#layout=AABB/AABB/CCDD")
    said = tab.page.evaluate(
        """async () => {
            const { t } = await import('/static/texts.js');
            return [1, 2].map((cost) => t('cost_label', { cost }));
        }"""
    )
    assert said == [one, several]
    tab.close()


def test_decimals_have_the_comma_of_the_language(server: Server, browser: Any) -> None:
    tab = Tab(server, browser, viewport=(390, 844), locale="de")
    tab.open("#layout=AABB/AABB/CCDD&moves=a1")
    searched = tab.page.locator("[data-role=searched]", has_text="Bewiesen")
    searched.wait_for()
    assert re.search(r" in \d+,\d+ s$", searched.inner_text())
    # What can be tapped is as high as a finger is wide, the name of the game too.
    assert tab.page.locator("h1 a").bounding_box()["height"] >= 44
    tab.close()


@pytest.mark.parametrize(
    "language",
    [
        "de",
        *(pytest.param(name, marks=pytest.mark.nightly) for name in ("en-US", "fr", "es", "nl")),
    ],
)
def test_names_are_whole_on_a_small_screen(server: Server, browser: Any, language: str) -> None:
    tab = Tab(server, browser, viewport=(390, 844), locale=language, remembers={"values": "off"})
    tab.open("#layout=rulebook&moves=d6,d3")
    tab.page.locator(f"html[lang={language[:2]}]").wait_for()
    room = """select => {
        const given = select.getBoundingClientRect().width;
        select.style.width = "max-content";
        return given - select.getBoundingClientRect().width;
    }"""
    for select in ("#which", "#language"):
        assert tab.page.locator(select).evaluate(room) >= 0
    # All tools stand in two rows of a finger's height.
    assert tab.page.locator(".bar").bounding_box()["height"] < 120
    # Estimates on the fields can be read, and keep to their fields.
    tab.values()
    tab.page.locator("#board .value-mark.open").first.wait_for()
    sizes = tab.page.evaluate(
        """() => [...document.querySelectorAll('#board .value-mark.open')].map((mark) => {
            const [shape, text] = ['.shape', 'text'].map((name) => mark.querySelector(name));
            const room = shape.getBoundingClientRect().width - text.getBoundingClientRect().width;
            return [parseFloat(getComputedStyle(text).fontSize) * mark.getCTM().a, room];
        })"""
    )
    assert len(sizes) == 11
    assert [one for one in sizes if one[0] < 9.5 or one[1] < 3] == []
    tab.close()


def test_buttons_stand_beside_each_other(server: Server, browser: Any) -> None:
    tab = Tab(server, browser, remembers={"values": "off"})
    tab.open("#layout=square&moves=d4,d7")
    tab.page.locator("#lines summary").click()
    for language in ("en", "de", "fr", "es", "nl"):
        tab.page.select_option("#language", language)
        tab.page.locator(f"html[lang={language}]").wait_for()
        for buttons in ("#lines .row button", ".game .head button"):
            tops = tab.page.locator(buttons).evaluate_all(
                "all => all.map(one => one.getBoundingClientRect().top)"
            )
            assert len(tops) == 2
            assert max(tops) - min(tops) < 1, (language, buttons)
    tab.close()


@quiet
def test_what_the_server_says_is_in_the_reader_s_language(server: Server, browser: Any) -> None:
    tab = Tab(server, browser, locale="de", remembers={"values": "off"})
    tab.open("#layout=rulebook&moves=d6,a1")
    wrong = tab.page.locator("#field-wrong")
    wrong.filter(has_text="Zug 2: Diese Auslage hat kein Feld a1").wait_for()
    tab.field("f5").click()
    wrong.filter(
        has_text="Es liegt nicht in der Reihe oder Spalte der letzten Kugel, d6"
    ).wait_for()
    mentions(tab.page.locator("#live"), "Schwarz kann nicht auf f5 setzen")
    tab.page.click("#open-setup")
    tab.page.fill("#layout-text", "A.B")
    tab.page.locator("#layout-text").blur()
    tab.page.locator("#preview-note", has_text="A / B berühren sich nicht").wait_for()
    tab.page.keyboard.press("Escape")
    tab.page.click("#open-share")
    tab.page.locator("#exports", has_text="es fehlt: Schwarz ist am Zug").wait_for()
    tab.page.keyboard.press("Escape")
    # Another language begins anew; English comes as it is.
    tab.page.select_option("#language", "en")
    tab.page.locator("#new-game", has_text="New game").wait_for()
    tab.field("d6").click()
    wrong.filter(has_text="black cannot play d6: it is taken").wait_for()
    tab.close()


@quiet
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_what_is_refused_is_said_where_the_board_is(
    server: Server, browser: Any, width: int, height: int
) -> None:
    tab = Tab(server, browser, viewport=(width, height), remembers={"values": "off"})
    tab.open("#layout=square&moves=d4")
    board = tab.field("a1").bounding_box()
    tab.field("f5").click()
    wrong = tab.page.locator("#field-wrong", has_text="not in the row or column")
    wrong.wait_for()
    box = wrong.bounding_box()
    assert box["y"] + box["height"] < min(
        height, tab.page.locator("#board").bounding_box()["y"] + 1
    )
    if width > 400:
        assert tab.field("a1").bounding_box() == board  # nothing has moved
    tab.close()


@quiet
def test_a_picture_that_is_refused_is_not_saved(tab: Tab) -> None:
    tab.open("#layout=square")
    said = json.dumps({"error": "there is no paint left"})
    tab.page.route(
        "**/picture", lambda route: route.fulfill(content_type="application/json", body=said)
    )
    saved: list[Any] = []
    tab.page.on("download", lambda download: saved.append(download))
    tab.page.click("#open-share")
    tab.page.click("#save-png")
    tab.page.locator("#export-note", has_text="there is no paint left").wait_for()
    assert saved == []
