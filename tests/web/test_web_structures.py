"""The page's data structures against models: random operations, compared state by state.

The modules run in one page, as they are; each model says in a few lines of Python what they do.
"""

from __future__ import annotations

import json
import random
import re
from typing import Any, cast
from urllib.parse import parse_qs

import pytest
from browser import Tab
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from kulami_solver.just4fun.replay import check_record
from kulami_solver.kulami.game_record import GameRecord
from kulami_solver.malawi.replay import read_game

Path = tuple[str, ...]
Step = tuple[Any, ...]
Line = dict[str, Any]

# Without shrinking, which would take minutes in a browser.
few = settings(max_examples=25, phases=[Phase.generate])
numbers = st.integers(0, 999)
steps = st.lists(st.tuples(st.integers(0, 99), numbers, numbers), min_size=15, max_size=30)
DEEPEST, MOST = 32, 20_000

# A tree of variations


class Tree:
    """The children of each node by its moves, the main line first, and the comments."""

    def __init__(self) -> None:
        self.children: dict[Path, list[str]] = {(): []}
        self.comments: dict[Path, str] = {}

    def nodes(self, at: Path = ()) -> list[Path]:
        """All nodes from one on, the main line first."""
        return [at, *(node for move in self.children[at] for node in self.nodes((*at, move)))]

    def grow(self, moves: Path, leads: bool) -> None:
        for ply, move in enumerate(moves):
            there = self.children[moves[:ply]]
            if move not in there:
                there.insert(0 if leads else len(there), move)
                self.children[moves[: ply + 1]] = []

    def promote(self, at: Path) -> None:
        for ply in range(len(at) - 1, -1, -1):
            if (there := self.children[at[:ply]])[0] != at[ply]:
                there.remove(at[ply])
                return there.insert(0, at[ply])
        return None

    def remove(self, at: Path) -> None:
        self.children[at[:-1]].remove(at[-1])
        for gone in self.nodes(at):
            del self.children[gone]
            self.comments.pop(gone, None)

    def after(self, at: Path) -> Path:
        """The main line from a node on."""
        return (
            (self.children[at][0], *self.after((*at, self.children[at][0])))
            if self.children[at]
            else ()
        )

    def line(self, at: Path = (), before: Path = ()) -> Line:
        """The line through a node, from the moves before it on."""
        moves = (*at[len(before) :], *self.after(at))
        found: Line = {"moves": list(moves), "comments": {}, "variations": {}}
        for ply in range(bool(at), len(moves) + 1):
            here = (*before, *moves[:ply])
            if here in self.comments:
                found["comments"][str(ply)] = self.comments[here]
            if ply and (not at or ply > 1) and (others := self.children[here[:-1]][1:]):
                found["variations"][str(ply)] = [
                    self.line((*here[:-1], one), here[:-1]) for one in others
                ]
        return {name: said for name, said in found.items() if said or name == "moves"}

    def told(self, at: Path) -> Line:
        """All nodes; more about one of them, or about the first where it has gone."""
        nodes, main = self.nodes(), self.after(())
        at = at if at in nodes else ()
        plain = not self.comments and all(len(there) < 2 for there in self.children.values())
        return {
            "nodes": [[list(node), self.comments.get(node, "")] for node in nodes],
            "through": [*at, *self.after(at)],
            "main": at == main[: len(at)],
            "counts": [len(nodes), len(self.nodes(at))],
            "plain": plain,
            # A line of its own is kept unless it is one without comments and of this length.
            "besides": [plain and len(nodes) - 1 == length for length in range(4)],
        }


GROWN = """async ([steps, lines]) => {
    const { isLine, Tree } = await import('/static/tree.js');
    let tree = new Tree();
    const told = [];
    for (const [what, path, more] of steps) {
        const node = tree.at(path);
        if (what === 'grow') tree.grow(path, (ply) => `side ${ply}`, more);
        else if (what === 'comment') node.comment = more;
        else if (what === 'rewrite') tree = new Tree(tree.line);
        else tree[what](node);
        if (!lines && what !== 'rewrite') continue;
        const nodes = [];
        const walk = (one) => {
            nodes.push([tree.path(one), one.comment]);
            if (tree.at(nodes.at(-1)[0]) !== one) throw new Error(nodes.at(-1)[0]);
            one.children.forEach(walk);
        };
        walk(tree.root);
        const at = tree.at(path) ?? tree.root;
        told.push({
            nodes, through: tree.through(at), main: tree.isMain(at), plain: tree.isPlain,
            counts: [tree.count(), tree.count(at)],
            besides: [0, 1, 2, 3].map((length) => tree.besides(Array(length)) === undefined),
            ...(lines ? { line: tree.line } : {}),
        });
        const side = what === 'grow' ? [`side ${path.length - 1}`] : [];
        if (side.some((one) => tree.at(path).side !== one) || !isLine(tree.line)) throw new Error();
    }
    return told;
}"""


def chosen(tree: Tree, kind: int, which: int, more: int) -> Step:
    """One step with a tree, which it takes in the model."""
    nodes = tree.nodes()
    forks = [node for node in nodes if node and len(tree.children[node[:-1]]) > 1]
    at = (forks or nodes)[which % len(forks or nodes)] if kind >= 75 else nodes[which % len(nodes)]
    if kind < 35 or not at:
        moves = (*at, *"abcd"[more % 4 :][: 1 + more % 3])
        tree.grow(moves, more % 5 == 0)
        return ("grow", moves, more % 5 == 0)
    if kind < 65:
        tree.comments[at] = f"said {more}"
        return ("comment", at, f"said {more}")
    if kind < 75:
        return ("rewrite", (), None)
    step = ("promote", tree.promote) if kind < 88 else ("remove", tree.remove)
    step[1](at)
    return (step[0], at, None)


def test_a_tree_of_variations(tab: Tab) -> None:
    tab.open("#layout=square")

    @few
    @given(steps)
    def check(drawn: list[tuple[int, int, int]]) -> None:
        tree, taken, told = Tree(), [], []
        for one in drawn:
            taken.append(chosen(tree, *one))
            told.append({**tree.told(taken[-1][1]), "line": tree.line()})
        assert tab.page.evaluate(GROWN, [taken, True]) == told

    check()
    # Of variations that are nested too deep none is lost.
    tree, at = Tree(), cast(Path, ())
    taken: list[Step] = []
    for depth in range(DEEPEST + 18):
        for move in ("a", "b", "c"):
            tree.grow((*at, f"x{depth}", move), False)
            taken.append(("grow", (*at, f"x{depth}", move), False))
        at = (*at, f"x{depth}", "b" if depth % 2 else "c")
    tree.comments[at] = "the end"
    taken += [("comment", at, "the end"), ("rewrite", (), None)]
    assert tab.page.evaluate(GROWN, [taken, False])[-1] == tree.told(())


def nested(depth: int) -> Line:
    return {"moves": ["a"], "variations": {"1": [nested(depth - 1)]}} if depth else {"moves": ["a"]}


LINES: list[tuple[Any, bool]] = [
    *((wrong, False) for wrong in cast(Any, (None, [], "d4", {}, {"moves": "d4"}, {"moves": [1]}))),
    ({"moves": []}, True), ({"moves": ["x" * 64]}, True), ({"moves": ["x" * 65]}, False),
    ({"moves": [], "comments": {"0": "x" * 2000}}, True), ({"moves": [], "comments": []}, False),
    ({"moves": [], "comments": {"0": "x" * 2001}}, False),
    ({"moves": [], "comments": {"0": 7}}, False),
    ({"moves": [], "variations": []}, False), ({"moves": [], "variations": {"1": {}}}, False),
    ({"moves": [], "variations": {"1": [{"moves": ["d7"], "variations": 3}]}}, False),
    (nested(DEEPEST), True), (nested(DEEPEST + 1), False),
    *((line, count == MOST) for count in (MOST, MOST + 1) for line in (
        {"moves": ["a"] * (count - 1)},
        {"moves": ["a"], "variations": {"1": [{"moves": []}] * (count - 2)}},
        {"moves": ["a"], "comments": dict.fromkeys(map(str, range(count - 2)), "x")},
    )),
]  # fmt: skip


def test_what_is_a_line(tab: Tab) -> None:
    tab.open("#layout=square")
    holds = "async (lines) => JSON.parse(lines).map((await import('/static/tree.js')).isLine)"
    found = tab.page.evaluate(holds, json.dumps([line for line, _ in LINES]))
    assert found == [right for _, right in LINES]


# A game: its moves, the ply that is shown, and its address

RECORDED = """async ([name, steps]) => {
    const { kindNamed, Record } = await import('/static/record.js');
    const kind = await kindNamed(name);
    const game = new Record(kind);
    return steps.map(([what, ...more]) => {
        game[what](...more);
        const { moves, ply, counts, start, steps, lost, hash } = game;
        return JSON.parse(JSON.stringify({
            moves, ply, counts, start, steps, lost, hash, asked: game.asked(),
            movers: [0, 1, 2, 3].map((at) => game.mover(at)), read: new Record(kind).read(hash),
        }));
    });
}"""
SEATS = {"kulami": ["red", "black"], "malawi": ["red", "black"], "just4fun": ["red", "blue"]}
GAMES: dict[str, tuple[Line, Line, list[str]]] = {
    "kulami": ({"layout": "AAB/AAC", "first": "red"}, {"scoring": "0"}, ["a1", "c1", "h8"]),
    "malawi": ({"board": "3x4", "beads": 2}, {}, ["a4-a2", "b1:a1,c1", "a3xa1"]),
    "just4fun": ({"board": "2006", "seed": 7}, {}, ["13=4+9", "26=3+4+9+10", "discard=7+8"]),
}  # fmt: skip


class Game:
    """The moves, the ply on the board, and who made each move where that is told."""

    def __init__(self, name: str) -> None:
        self.start, counts, self.names = GAMES[name]
        self.seats, self.counts = SEATS[name], {**counts}
        self.moves: list[str] = []
        self.movers: list[str] = []
        self.ply = self.first = 0
        self.changed()

    def changed(self, steps: bool = False, lost: bool = False) -> None:
        self.steps, self.lost = steps, lost

    def told(self) -> Line:
        later = [self.seats[(self.first + at) % 2] for at in range(len(self.movers), 4)]
        shown: Line = {"start": self.start, "moves": self.moves, "ply": self.ply}
        shown["counts"] = {**self.counts}
        asked = {**self.start, "moves": self.moves[: self.ply], **self.counts}
        told = {"steps": self.steps, "lost": self.lost, "asked": asked, "read": shown}
        return {**shown, **told, "movers": [*self.movers, *later][:4]}

    def step(self, kind: int, which: int, more: int) -> Step:
        """Do what was drawn; returns it for the page."""
        length, move = len(self.moves), self.names[which % 3]
        if kind < 35:
            if self.moves[self.ply : self.ply + 1] != [move]:
                self.moves = [*self.moves[: self.ply], move]
                self.movers = self.movers[: self.ply + 1]
            self.ply += 1
            self.changed(steps=more % 2 == 0)
            return ("play", move, {"steps": self.steps})
        if kind < 45:
            to = max(0, min(which % 9 - 2, length))
            if to != self.ply:
                self.changed()
            self.ply = to
            return ("go", which % 9 - 2)
        if kind < 62:
            line = [*self.moves[: more % 4], *self.names[: which % 3]]
            differs = [at for at, one in enumerate(line) if self.moves[at : at + 1] != [one]]
            self.movers = self.movers[: differs[0] + 1] if differs else self.movers
            self.moves, self.ply = line, which % (len(line) + 1)
            self.changed()
            return ("follow", line, self.ply)
        if kind < 88:
            turn, ply = self.seats[which % 2], min(self.ply, length)
            view: Line = {"seats": self.seats, "turn": turn, "over": more % 3 == 0}
            self.first = (self.seats.index(turn) - ply) % 2
            if more % 2:
                view["movers"] = [self.seats[more // 3**at % 2] for at in range(ply)]
                self.movers = [*view["movers"], *self.movers[ply:]]
                self.movers[ply : ply + 1] = self.movers[ply : ply + 1] if view["over"] else [turn]
            return ("seat", view, ply)
        if kind < 94 and self.counts:
            self.counts["scoring"] = "012"[which % 3]
            self.changed()
            return ("count", {**self.counts})
        self.moves, self.movers, self.ply = self.names[: which % 4], [], which % 4
        self.changed(steps=True, lost=length > 0)
        return ("replace", {"start": self.start, "moves": self.moves})


@pytest.mark.parametrize("name", GAMES)
def test_a_game_and_its_address(tab: Tab, name: str) -> None:
    tab.open(f"#game={name}")

    @few
    @given(steps)
    def check(drawn: list[tuple[int, int, int]]) -> None:
        game, taken, told = Game(name), [], []
        for one in [(99, 0, 0), *drawn]:
            taken.append(game.step(*one))
            told.append(game.told())
        found = tab.page.evaluate(RECORDED, [name, taken])
        for step, said, wanted in zip(taken, found, told, strict=True):
            assert said == {**wanted, "hash": said["hash"]}, step
            moves, ply = wanted["moves"], wanted["ply"]
            address = {key: value[0] for key, value in parse_qs(said["hash"][1:]).items()}
            between = "," if name == "kulami" else ";"
            assert address.get("moves", "").split(between) == (moves or [""])
            assert address.get("ply") == (str(ply) if ply < len(moves) else None)
            assert address.get("game") == (None if name == "kulami" else name)

    check()


WRITTEN = """async ([name, start, line]) => {
    const { share, takeIn } = await import('/static/exchange.js');
    const { kindNamed, Record } = await import('/static/record.js');
    const { Tree } = await import('/static/tree.js');
    const kind = await kindNamed(name);
    const [game, again] = [new Record(kind), new Record(kind)];
    game.take({ start, moves: line.moves });
    const seen = kind.hides ? { see: kind.seats } : {};
    const tree = new Tree(line);
    const table = { kind, game, parts: { moves: { grow: () => tree } },
        asked: (ply, ...more) => ({ ...game.asked(ply, ...more), ...seen }) };
    await share(table);
    const text = document.querySelector('#export-record').value;
    const read = name !== 'kulami' && await takeIn(text, { kind, game: again });
    return [text, read ? again.line : null];
}"""


def test_moves_of_any_signs_travel_in_an_address(tab: Tab) -> None:
    """Those of a game of another package may have the signs that an address gives a meaning."""
    tab.open("#layout=square")
    odd = ["a%3b", "%003b", "b;c", "d e", "%", "f%%0020"]
    taken = ("replace", {"start": {"layout": "AAB/AAC", "first": "red"}, "moves": odd})
    assert tab.page.evaluate(RECORDED, ["kulami", [taken]])[0]["read"]["moves"] == odd


@pytest.mark.parametrize("name", GAMES)
def test_a_record_is_written_and_read_again(tab: Tab, name: str) -> None:
    """With moves, variations and comments of every game."""
    starts: dict[str, Line] = {
        "kulami": {"layout": "AABB/AABB/CCDD", "first": "black"},
        "malawi": {"board": "3x4", "beads": 1},
        "just4fun": {"board": "3x3", "stones": 4, "line": 3, "seed": 3, "dummy": True},
    }
    start, draw = starts[name], random.Random(name)
    seen = {"see": ["red", "blue"]} if name == "just4fun" else {}
    tab.open(f"#game={name}")
    for _ in range(3):
        tree = Tree()
        for number in range(6):
            at = draw.choice(tree.nodes()) if number else ()
            for _ in range(8 if not number else 3):
                asked = {**start, **seen, "moves": list(at)}
                if not (legal := tab.server.good(f"/api/{name}/position", asked)["legal"]):
                    break
                at = (*at, draw.choice(legal))
                tree.grow(at, False)
                if draw.random() < 0.3:
                    tree.comments[at] = draw.choice(
                        ["See #1.", "{sharp} (but)", "\u00e9 \u2028 <b>", '"']
                    )
        text, line = tab.page.evaluate(WRITTEN, [name, start, tree.line()])
        if name == "kulami":
            line = tab.server.good("/api/import", {"text": text})
            line = {
                word: line[word] for word in ("moves", "comments", "variations") if word in line
            }
        assert {word: said for word, said in line.items() if said} == tree.line(), text
        record = json.loads(text)
        if name == "kulami":
            assert GameRecord.from_json(record).to_json() == record
        elif name == "malawi":
            assert read_game(record).moves == tuple(record["moves"])
        else:
            assert re.match("stops after move|$", check_record(record).reason)
        assert (record["moves"], record.get("variations", {})) == (
            tree.line()["moves"], tree.line().get("variations", {}),
        )  # fmt: skip


# Games that are kept

KEEPING = """async ([steps, load]) => {
    const store = await import('/static/kept.js');
    const waiting = () => JSON.parse(localStorage.getItem('games') ?? '[]');
    const raw = async (work) => {
        const request = indexedDB.open('kulami');
        await new Promise((done) => { request.onsuccess = done; });
        const writing = request.result.transaction('games', 'readwrite');
        work(writing.objectStore('games'));
        await new Promise((done) => { writing.oncomplete = done; });
        request.result.close();
    };
    localStorage.setItem('games', '[]');
    await store.list();
    await raw((games) => games.clear());
    const [tabs, gone, told] = [[], [], []];
    for (const number of [0, 1]) {
        const { Games } = await import(`/static/games.js?tab=${load}.${number}`);
        const table = { id: `g${number}`, kept: null, keep() {}, notice: console.log };
        tabs.push({ table, games: new Games(table) });
    }
    const called = async (hash) => (await store.list()).games.find((one) => one.hash === hash)?.id;
    for (const [what, at, hash, now] of steps) {
        const { table, games } = tabs[at];
        const id = hash && await called(hash);
        if (what === 'begin') Object.assign(table, { id: now, kept: null });
        if (what === 'open') Object.assign(table, { id, kept: await store.keptAs(id) });
        if (what === 'play' || what === 'look') {
            const { id } = table;
            const noting = now.map((one) => games.note({ ...one, id }, what === 'play'));
            for (const kept of await Promise.all(noting)) {
                if (kept && table.id === id) table.kept = kept;
            }
        }
        const renamed = (one) => ({ ...one, ...now, changed: Math.max(one.changed, now.changed) });
        if (what === 'rename') await store.change(id, renamed);
        if (what === 'remove') {
            gone.push(await store.keptAs(id));
            await store.remove(id);
        }
        if (what === 'restore') await store.change(gone.at(-1).id, () => gone.at(-1));
        if (what === 'damage') await raw((games) => {
            games.get(id).onsuccess = ({ target }) => games.put({ ...target.result, ...now });
        });
        if (what === 'leave') {
            const read = table.kept?.id === table.id ? store.version(table.kept) : 0;
            if (read !== now.read) throw new Error('read');
            const left = { ...now, id: table.id, tab: `left ${at}` };
            localStorage.setItem('games', JSON.stringify([...waiting(), null, left]));
        }
        const again = `/static/kept.js?load=${load}.${told.length}`;
        if (what === 'load') await (await import(again)).list();
        const { games: found, count } = await store.list();
        const name = (one) => (one.startsWith('g') ? one : 'copy');
        told.push({
            count, tabs: tabs.map(({ table }) => name(table.id)),
            waiting: waiting().map((one) => one && one.hash),
            games: found.map((one) => [name(one.id), one.hash, one.name ?? '', one.changed]),
        });
    }
    return told;
}"""


def version(one: Line) -> int:
    return int(one.get("played") or one["changed"])


class Kept:
    """The rows of the database, what pages have left, and what two tabs have read."""

    def __init__(self) -> None:
        self.rows: dict[str, Line] = {}
        self.left: list[Line | None] = []
        self.tabs: list[Line] = [{"id": f"g{at}", "kept": None, "copies": {}} for at in range(2)]
        self.gone: list[Line] = []
        self.copies = 0

    def copy(self) -> str:
        self.copies += 1
        return f"copy {self.copies}"

    def kept(self, of: str) -> Line | None:
        """The row of a game, or what a page has left of it."""
        return self.rows.get(of) or next((one for one in self.waiting if one["id"] == of), None)

    @property
    def waiting(self) -> list[Line]:
        return [one for one in self.left if one]

    def read(self, tab: Line) -> int:
        return version(tab["kept"]) if tab["kept"] and tab["kept"]["id"] == tab["id"] else 0

    def put(self, entry: Line, of: str) -> None:
        self.rows[entry["id"]] = entry
        self.forget(of, entry["changed"])

    def forget(self, of: str, changed: float) -> None:
        gone = [one for one in self.waiting if one["id"] == of and changed >= one["changed"]]
        self.left = [one for one in self.left if one not in gone]

    def note(self, at: int, made: bool, changes: list[Line]) -> None:
        """A tab keeps its game; where another has played on, it goes on in a copy."""
        tab, of, read = self.tabs[at], self.tabs[at]["id"], self.read(self.tabs[at])
        for now in changes:
            before = self.kept(of)
            others = before is not None and before["tab"] != at and version(before) != read
            if not made and (others or before is None):
                continue
            changed = max(now["changed"], before["changed"] + 1 if before else 0)
            after = {"name": "", **(before or {}), **now, "id": of, "tab": at}
            after |= {"changed": changed, "played": changed}
            if before and not made and before["moves"] == now["moves"]:
                after |= {"tab": before["tab"], "played": before.get("played")}
            if others:
                after["id"] = tab["copies"].get((of, read)) or self.copy()
                tab["copies"][of, read] = after["id"]
            self.put(after, of)
            if tab["id"] == of:
                tab |= {"id": after["id"], "kept": after}

    def load(self) -> None:
        """Another page takes over what was left."""
        for one in self.waiting:
            before = self.rows.get(one["id"])
            entry = {"name": "", **(before or {}), **one}
            if before and before["tab"] != one["tab"] and version(before) != one["read"]:
                entry["id"] = self.copy()
                self.rows[entry["id"]] = entry
            elif not before or before["changed"] < one["changed"]:
                self.rows[one["id"]] = entry
        self.left = [one for one in self.left if not one]

    @property
    def listed(self) -> list[Line]:
        """What the list shows: what was left, then the rows that are whole, the newest first."""
        ids = {one["id"] for one in self.waiting}
        rows = sorted(self.rows.values(), key=lambda one: -int(one["changed"]))
        return self.waiting + [one for one in rows if one["id"] not in ids and one["players"] == {}]

    def step(self, clock: int, kind: int, which: int, more: int) -> Step:
        """Do what was drawn; returns it for the page."""
        at, tab, listed = which % 2, self.tabs[which % 2], self.listed
        changed = 10 * clock + (0 if more % 4 else -25)
        now: Line = {"game": "kulami", "hash": f"#{clock}", "players": {}, "others": "", "begun": 1}
        now |= {"moves": more % 3, "changed": max(changed, 1)}
        one = listed[more % len(listed)] if listed else None
        if kind < 36:
            # Two moves may be kept at once.
            soon = {**now, "hash": f"#{clock}b", "changed": now["changed"] + 1}
            changes = [now, soon] if more % 3 == 0 else [now]
            self.note(at, kind < 28, changes)
            return ("play" if kind < 28 else "look", at, "", changes)
        if kind < 40 or one is None:
            tab |= {"id": f"gnew{clock}", "kept": None}
            return ("begin", at, "", tab["id"])
        if kind < 54:
            tab |= {"id": one["id"], "kept": dict(self.kept(one["id"]) or {})}
            if tab["kept"]["players"] == 5:
                tab["kept"] = next(left for left in self.left if left and left["id"] == one["id"])
            return ("open", at, one["hash"], None)
        if kind < 60:
            named = {"name": f"name {clock}", "changed": now["changed"]}
            before = self.kept(one["id"]) or {}
            changed = max(before["changed"], named["changed"])
            self.put({**before, **named, "changed": changed}, one["id"])
            return ("rename", at, one["hash"], named)
        if kind < 65:
            whole = self.rows.get(one["id"], {"players": 5})["players"] == {}
            self.gone.append(self.rows[one["id"]] if whole else one)
            self.rows.pop(one["id"], None)
            self.forget(one["id"], float("inf"))
            return ("remove", at, one["hash"], None)
        if kind < 70 and self.gone:
            self.put(self.gone[-1], self.gone[-1]["id"])
            return ("restore", at, "", None)
        if kind < 74 and one["id"] in self.rows:
            self.rows[one["id"]] = self.rows[one["id"]] | {"players": 5}
            return ("damage", at, one["hash"], {"players": 5})
        if kind < 88:
            now |= {"read": self.read(tab)}
            self.left += [None, {**now, "id": tab["id"], "tab": f"left {at}"}]
            return ("leave", at, "", now)
        self.load()
        return ("load", at, "", None)

    def told(self) -> Line:
        def named(one: Line) -> str:
            return one["id"] if one["id"].startswith("g") else "copy"

        return {
            "count": len(self.rows),
            "tabs": [*map(named, self.tabs)],
            "waiting": [one and one["hash"] for one in self.left],
            "games": [
                [named(one), one["hash"], one.get("name", ""), one["changed"]]
                for one in self.listed
            ],
        }


def test_games_are_kept_by_two_tabs(tab: Tab) -> None:
    """Whatever tabs play, name, delete, bring back or leave, and though a row is damaged."""
    tab.open("#layout=square")
    tab.page.evaluate("async () => (await import('/static/kept.js')).list()")
    load = iter(range(10_000))

    @few
    @given(steps)
    def check(drawn: list[tuple[int, int, int]]) -> None:
        kept, taken, told = Kept(), [], []
        for clock, one in enumerate(drawn, 1):
            taken.append(kept.step(clock, *one))
            told.append(kept.told())
        assert tab.page.evaluate(KEEPING, [taken, next(load)]) == told, taken

    check()


OLDER = """async (entry) => {
    const store = await import('/static/kept.js');
    const left = (changed) => {
        localStorage.setItem('games', JSON.stringify([{ ...entry, changed }]));
    };
    const put = (changed) => store.change(entry.id, () => ({ ...entry, changed }));
    await store.list();
    left(5);
    await put(4);
    const waiting = JSON.parse(localStorage.getItem('games')).length;
    await put(9);
    left(7);
    await (await import('/static/kept.js?load=older')).list();
    return [waiting, (await store.keptAs(entry.id)).changed];
}"""


def test_an_older_version_replaces_none(tab: Tab) -> None:
    """Neither one that was left what is kept, nor one that is kept what was left."""
    tab.open("#layout=square")
    assert tab.page.evaluate(OLDER, ENTRY) == [1, 9]


ENTRY: Line = {"id": "g1", "game": "kulami", "hash": "#layout=square", "begun": 1, "changed": 2}
ENTRIES: list[tuple[Line, bool]] = [
    *((form, True) for form in (
        {}, {"name": "x" * 80, "players": {"red": "human"}, "others": "", "winner": "red"},
        {"id": "a-b_9"}, {"changed": 0, "begun": 1e15, "moves": 0, "read": 3}, {"game": "malawi"},
    )),
    *(({name: wrong}, False) for name, all_of_them in cast(dict[str, tuple[Any, ...]], {
        "id": ("a b", "", 3, "a" * 41), "hash": ("javascript:alert(1)", "#" * 20_001, 3),
        "game": ("chess", "constructor"), "players": (5, [], {"red": 5}, {"red": "x" * 41}),
        "others": (5,), "winner": (5,), "moves": ("2",), "read": (-1,), "changed": (-1, None),
        "begun": (1e300, None), "name": ("x" * 81, 3), "line": (3,),
    }).items() for wrong in all_of_them),
    *(({"line": line}, right) for line, right in LINES[:-6] if line is not None),
]  # fmt: skip


def test_what_is_an_entry_of_the_list(tab: Tab) -> None:
    tab.open("#layout=square")
    holds = "async (all) => JSON.parse(all).map((await import('/static/kept.js')).isEntry)"
    found = tab.page.evaluate(holds, json.dumps([ENTRY | form for form, _ in ENTRIES]))
    assert found == [right for _, right in ENTRIES]
    nothing: list[Any] = [None, 7, "x", [], {}]
    assert tab.page.evaluate(holds, json.dumps(nothing)) == [False] * len(nothing)


# Values, and late answers

VALUED = """async (steps) => {
    const { t } = await import('/static/texts.js');
    const { Values } = await import('/static/values.js');
    const requests = [];
    const { fetch } = window;
    window.fetch = async (url, { body, signal }) => new Response(new ReadableStream({
        start: (stream) => requests.push({ stream, signal, at: JSON.parse(body).at }),
    }), { headers: { 'content-type': 'text/event-stream' } });
    const kind = {
        name: 'kulami', question: { all: true }, result: () => 'over', margin: () => 0,
        judged: (said) => ({ ...said, line: [], best: [], moves: new Map(), searched: said.words }),
    };
    let learned = null;
    const table = {
        kind, board: { follow() {} }, keep() {}, complain() {}, opponent: { update() {} },
        game: { seats: [1, 2] }, learned: (judged) => { learned = judged?.words ?? null; },
    };
    const values = new Values(table);
    const turn = () => new Promise((go) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = go;
        port2.postMessage(0);
    });
    const view = { over: false, legal: [], seats: ['red', 'black'], turn: 'red' };
    const text = new TextEncoder();
    const told = [];
    for (const [what, ...more] of steps) {
        if (what === 'go') values.update(view, { at: more[0], moves: [] });
        else if (what === 'toggle') values.toggle(more[0]);
        else {
            const [number, event, said] = more;
            const { stream } = requests[number];
            const written = `event: ${event}\ndata: ${JSON.stringify(said)}\n\n`;
            if (event) stream.enqueue(text.encode(written));
            else stream.close();
        }
        for (let turns = 0; turns < 8; turns += 1) await turn();
        const said = document.querySelector('[data-role=value]').textContent;
        const known = { [t('searching')]: 'searching', [t('values_hidden')]: 'hidden' };
        const asked = requests.map(({ at, signal }) => [at, signal.aborted]);
        told.push([known[said] ?? said, learned, asked]);
    }
    // Those of many that came first are forgotten; an exact one is replaced by an exact one.
    values.keep('exact', 1, true);
    for (let number = 0; number < 700; number += 1) {
        values.keep(`${number}`, {}, false);
        values.keep('exact', 2, false);
        if (number < 590) values.keep('again', {}, false);
        if (number < 500 && values.known.get('exact').told !== 1) throw new Error('not exact');
    }
    const first = values.known.keys().next().value;
    if (values.known.size !== 600 || first !== '102') throw new Error(`too many: ${first}`);
    if (!values.known.has('again')) throw new Error('the answer asked for last is forgotten');
    values.search?.abort();
    window.fetch = fetch;
    return told;
}"""


class Valued:
    """What is known of positions, and the search of the one that is shown."""

    def __init__(self) -> None:
        self.known: dict[int, tuple[str, bool]] = {}
        self.requests: list[list[Any]] = []
        self.ended: set[int] = set()
        self.at, self.on = 0, True
        self.said, self.learned = "", ""

    def go(self) -> None:
        if self.requests:
            self.requests[-1][1] = True
        words, exact = self.known.get(self.at, ("", False))
        self.said, self.learned = (words or "searching", words) if self.on else ("hidden", "")
        if self.on and not exact:
            self.requests.append([self.at, False])

    def heard(self, number: int, event: str, words: str, exact: bool) -> None:
        """What comes of a search that nobody waits for any more changes nothing."""
        at, aborted = self.requests[number]
        if aborted or number in self.ended:
            return
        if event == "error":
            self.said = words
            self.ended.add(number)
            return
        if event:
            self.said = self.learned = words
            done = event == "solution" and exact
            if done or not self.known.get(at, ("", False))[1]:
                self.known[at] = (words, done)

    def step(self, clock: int, kind: int, which: int, more: int) -> Step:
        if kind < 25 or not self.requests:
            self.at = which % 2
            self.go()
            return ("go", self.at)
        if kind < 30:
            self.on = not self.on
            self.go()
            return ("toggle", self.on)
        open_ones = [number for number in range(len(self.requests)) if number not in self.ended]
        if not open_ones:
            self.go()
            return ("go", self.at)
        number = open_ones[-1 if kind < 88 else which % len(open_ones)]
        event = ("progress", "progress", "solution", "solution", "error", "")[more % 6]
        words, exact = f"Words {clock}", which % 2 == 0
        self.heard(number, event, words, exact)
        if event in ("error", ""):
            self.ended.add(number)
        told = (
            {"error": words}
            if event == "error"
            else {"words": words, "exact": exact, "nodes": 1, "seconds": 1}
        )
        return ("tell", number, event, told)


def test_values_and_late_answers(newcomer: Tab) -> None:
    newcomer.open()

    @few
    @given(steps)
    def check(drawn: list[tuple[int, int, int]]) -> None:
        values, taken, told = Valued(), [], []
        for clock, one in enumerate(drawn):
            taken.append(values.step(clock, *one))
            told.append([values.said, values.learned or None, [[*one] for one in values.requests]])
        assert newcomer.page.evaluate(VALUED, taken) == told, taken

    check()
