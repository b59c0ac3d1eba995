// The moves of the game: a list with the value and the cost of each, variations and comments, and a
// curve of the value.

import { allow, by, draw, make } from "./dom.js";
import { Lines } from "./lines.js";
import { coming } from "./server.js";
import { capital, learnSentences, say, sentence, signed, t } from "./texts.js";
import { Tree } from "./tree.js";

const LISTED = 500; // moves; in a larger tree only variations on the shown line are written out
const OTHERS = 8; // variations in the place of one move that a larger tree lists

// A long move may break between its cards or figures, but not within a number.
const broken = (move) => move.split(/(?=\+)|(?<=,)/).flatMap((part) => [part, make("wbr")]);

export class Moves {
  constructor(table) {
    this.table = table;
    this.game = table.game;
    this.kind = table.kind;
    this.graded = new Map(); // the server's verdict on a move, by the moves up to it
    this.estimated = new Map(); // likewise: estimates of moves whose value is not known
    this.grading = null; // the AbortController of the grading, while it goes on
    this.summed = false; // whether the grading has rated each side
    this.costs = []; // of the moves of the shown line
    this.costly = []; // those that cost something, the worst first
    this.shown = "";
    this.tree = null;
    this.id = null; // the game of the tree
    this.nodes = []; // the listed nodes, by number
    by("moves").addEventListener("click", (event) => {
      const number = event.target.closest("[data-node]")?.dataset.node;
      if (number) this.go(this.nodes[number]);
    });
    by("graph").addEventListener("click", (event) => {
      const { left, width } = by("graph").querySelector("svg").getBoundingClientRect();
      this.game.go(plyAt((event.clientX - left) / width, this.game.moves.length));
    });
    by("grade").addEventListener("click", () => coming(import("./grading.js")).then(({ grade, stop }) => (this.grading ? stop : grade)(this)));
    this.game.addEventListener("replace", () => this.forget());
    this.lines = new Lines(this);
  }

  // The tree of the game on the page, with the shown line. Against a bot, a move in the place of
  // another becomes the main line, because the other was taken back, as long as the game goes on.
  grow() {
    const { game, table } = this;
    if (this.id !== table.id) {
      this.id = table.id;
      const kept = table.kept?.id === table.id ? table.kept : null;
      // The browser's Back leaves the address of an earlier position: later moves are in the kept one.
      this.tree = new Tree(game.line ?? kept?.line ?? (kept && game.read(kept.hash)));
      game.line = null;
    }
    this.tree.grow(game.moves, (ply) => game.mover(ply), !table.finished && table.opponent.plays);
    return this.tree;
  }

  // The node of the position on the board.
  get here() {
    return this.tree.at(this.game.moves.slice(0, this.game.ply));
  }

  // Goes to a move: in the shown line, or in the move's own line.
  go(node) {
    const { game, tree } = this;
    const path = tree.path(node);
    if (path.every((move, ply) => move === game.moves[ply])) game.go(path.length);
    else game.follow(tree.through(node), path.length);
  }

  // Goes on to a ply, Infinity for the end. Where the shown line ends before it, play goes on with the
  // moves that were made there.
  goOn(ply) {
    const { game } = this;
    const line = ply <= game.moves.length ? game.moves : this.grow().through(this.here);
    const to = Math.min(ply, line.length);
    if (to > game.ply) game.follow(line, to);
  }

  // Goes to the next or the previous move that was tried in the place of this one.
  variation(way) {
    const { here, here: { parent } } = this;
    const another = parent?.children[parent.children.indexOf(here) + way];
    if (another) this.go(another);
    else say(t("no_variation"));
  }

  forget() {
    this.grading?.abort();
    this.grading = null;
    this.graded.clear();
    this.estimated.clear();
    by("graded").textContent = "";
  }

  key(moves, counts = this.game.counts) {
    return JSON.stringify([moves, counts]);
  }

  // The known value of the position after these moves, for the side to move there.
  at(moves, turn) {
    const found = this.table.values.of(this.table.asked(0, ...moves));
    return found && this.kind.judged(found.told, { ...this.table.view, turn });
  }

  // The known value of a move and its cost, for the side that made it. A node of a kept line does not
  // know that side before it is shown.
  judged({ move, parent, side = this.game.mover(this.tree.path(parent).length) }) {
    const before = this.tree.path(parent);
    const graded = this.graded.get(this.key([...before, move]));
    if (graded) return { ...graded, text: this.kind.valueText(graded.value) };
    const known = this.at(before, side);
    const one = known?.moves.get(move);
    let value = one?.value;
    if (value === undefined && this.game.seats.length === 2) {
      const after = this.at([...before, move], this.game.seats.find((other) => other !== side));
      if (after?.exact && after.lower !== undefined) value = -after.lower;
    }
    if (value === undefined) return one?.text ? { text: one.text, spoken: one.spoken } : this.about([...before, move]);
    const best = known?.exact ? known.lower : undefined;
    const flips = best !== undefined && Math.sign(best) !== Math.sign(value);
    return { value, text: one?.text ?? this.kind.valueText(value), spoken: one?.spoken, cost: best === undefined ? null : best - value, flips };
  }

  // The estimate of a move whose value the grading does not know; null if there is none.
  about(moves) {
    const estimate = this.estimated.get(this.key(moves));
    const text = estimate && this.kind.estimateText(estimate);
    return estimate ? { text, spoken: t("worth", { margin: text }) } : null;
  }

  // Bounds of the value after `ply` moves, for the first seat; null if nothing is known.
  bounds(ply, judged) {
    const { game } = this;
    const sign = game.mover(ply) === game.seats[0] ? 1 : -1;
    const known = this.at(game.moves.slice(0, ply), game.mover(ply));
    if (known?.lower !== undefined) {
      const ends = [sign * known.lower, sign * known.upper];
      return { low: Math.min(...ends), high: Math.max(...ends) };
    }
    const value = judged[ply - 1]?.value;
    const side = game.mover(ply - 1) === game.seats[0] ? 1 : -1;
    return value === undefined ? null : { low: side * value, high: side * value };
  }

  update() {
    const { game, table } = this;
    if (!table.view) return;
    const tree = this.grow();
    this.explain();
    const visible = by("graded").textContent;
    let at = tree.root;
    const played = game.moves.map((move) => (at = at.children.find((one) => one.move === move)));
    const judged = new Map([...tree.after(tree.root), ...played].map((node) => [node, visible ? this.judged(node) : null]));
    const worth = played.map((node) => judged.get(node));
    this.costs = worth.map((one) => one?.cost ?? 0);
    this.costly = played.map((node, index) => ({ ...worth[index], move: node.move, ply: index + 1, side: game.mover(index) }))
      .filter(({ cost }) => cost > 0).sort((one, other) => (other.flips ?? 0) - (one.flips ?? 0) || other.cost - one.cost);
    const goesOn = this.here.children.length > 0;
    allow([by("redo"), goesOn], [by("to-end"), goesOn]);
    allow([by("grade"), game.moves.length > 0]);
    by("grade").dataset.text = this.grading ? "grading_stop" : "grade";
    by("grade").textContent = t(by("grade").dataset.text);
    const said = JSON.stringify([this.grading !== null, by("graded").textContent, tree.line, game.moves, game.ply, [...judged.values()], game.seats, game.first, game.movers, document.documentElement.lang]);
    if (said === this.shown) return;
    this.shown = said;
    this.list(judged, played);
    this.lines.show();
    this.curve(worth, visible && game.seats.length === 2);
    if (table.parts.score) table.score(table.view);
  }

  // Shows why the move on the board was a mistake, if that is known.
  explain() {
    const { game, table: { board, view } } = this;
    const { why, refutation } = (view.ply === game.ply && this.graded.get(this.key(game.moves.slice(0, game.ply)))) || {};
    by("why").replaceChildren(...(why ? [this.because(why)] : []));
    board.explain?.(refutation);
  }

  // Whether the shown line is graded, or is being graded.
  get isGraded() {
    const { moves } = this.game;
    return moves.length > 0 && (this.grading !== null || this.graded.has(this.key(moves)));
  }

  // Lists the main line, with the number of the round, or of the move where it has a row of its own or
  // more than two play. Variations in the place of a move stand below it.
  list(judged, played) {
    const { tree, kind: { inARow } } = this;
    const list = by("moves");
    list.style.setProperty("--row", inARow);
    const focused = list.contains(document.activeElement) ? this.nodes[document.activeElement.dataset.node] : null;
    const items = [];
    let row = null;
    this.nodes = [];
    this.open = tree.count() > LISTED ? new Set(played) : null;
    const below = (...content) => {
      items.push(make("li", { class: "below" }, ...content));
      row = null;
    };
    if (tree.root.comment) below(this.remark(tree.root));
    tree.after(tree.root).forEach((node, index) => {
      if (!row || index % inARow === 0) {
        row = make("li", {}, make("span", { class: "number" }, this.number(index)));
        if (index % inARow) row.append(make("span", { class: "filled" }, "…"));
        items.push(row);
      }
      row.append(this.button(node, index, judged.get(node)));
      const said = [...(node.comment ? [this.remark(node)] : []), ...this.variations(node.parent.children.slice(1), index, judged)];
      if (said.length) below(...said);
    });
    if (items.length && [...judged.values()].some((one) => one?.text)) items.unshift(this.heads());
    by("flips").hidden = !played.some((node) => judged.get(node)?.flips);
    list.replaceChildren(...items);
    if (focused) list.querySelector(`[data-node="${this.nodes.indexOf(focused)}"]`)?.focus({ preventScroll: true });
    this.reveal();
  }

  // Scrolls the list, not the page, to the current move. The first row is whole, below the heads.
  reveal() {
    const list = by("moves");
    const current = list.querySelector("[aria-current]");
    if (!current) return;
    const above = list.querySelector(".heads span")?.offsetHeight ?? 0;
    const middle = current.offsetTop - (list.clientHeight - current.offsetHeight) / 2;
    const first = [...list.querySelectorAll("[data-node]")].find(({ offsetTop }) => offsetTop - above >= middle);
    list.scrollTop = (first ?? current).offsetTop - above;
  }

  // What stands in each column, for the eye: the buttons say it themselves.
  heads() {
    const { game, kind: { inARow } } = this;
    const column = (index) => [capital(inARow > 1 && game.seats.length === inARow ? t(game.mover(index)) : t("move")), t("value"), t("cost")];
    return make("li", { class: "heads", "aria-hidden": "true" }, make("span"),
      ...Array.from({ length: inARow }, (_, index) => column(index)).flat().map((text) => make("span", {}, text)));
  }

  number(index) {
    const { game, kind: { inARow } } = this;
    return `${game.seats.length > 2 ? index + 1 : Math.floor(index / inARow) + 1}.`;
  }

  remark({ comment }) {
    return make("p", { class: "remark" }, comment);
  }

  // The variations in the place of a move; in a large tree the first few, and that of the shown line.
  variations(all, at, judged) {
    const listed = this.open ? all.filter((one, place) => place < OTHERS || this.open.has(one)) : all;
    const left = all.length - listed.length;
    return [...listed.map((one) => this.variationOf(one, at, judged)), ...(left ? [this.more("more_variations", left)] : [])];
  }

  more(text, count) {
    return make("span", { class: "searched" }, t(text, { count }));
  }

  // The reason why a move was a mistake.
  because(why) {
    const said = make("p", { class: "searched" });
    learnSentences({ english: true }).then(() => {
      said.textContent = capital(why.map(sentence).join(t("colon")));
    });
    return said;
  }

  // A variation, move by move, with its own variations below.
  variationOf(first, from, judged) {
    const { tree, kind: { inARow } } = this;
    const label = t("instead_of", { move: first.parent.children[0].move });
    const line = make("div", { class: "variation", role: "group", "aria-label": label });
    const short = this.open && !this.open.has(first);
    (short ? [first] : [first, ...tree.after(first)]).forEach((node, index) => {
      const at = from + index;
      if (!index || at % inARow === 0 || this.game.seats.length > 2) line.append(make("span", { class: "number" }, at % inARow ? `${this.number(at)}.. ` : this.number(at)));
      line.append(this.button(node, at, judged.get(node)));
      if (node.comment) line.append(this.remark(node));
      if (index) line.append(...this.variations(node.parent.children.slice(1), at, judged));
    });
    if (short && first.children.length) line.append(this.more("more_moves", tree.count(first) - 1));
    return line;
  }

  // The button of a move. A move of the shown line has the number of its ply.
  button(node, index, judged) {
    const { game } = this;
    const { move, side = game.mover(index) } = node; // a node that was not shown yet has no side
    const { text = "", spoken = text, cost = null, flips = false } = judged ?? {};
    const played = this.tree.path(node).every((one, ply) => one === game.moves[ply]);
    const heard = ["", t("move_label", { number: index + 1, side: t(side) })];
    if (spoken) heard.push(spoken);
    if (cost) heard.push(t("cost_label", { cost: this.rounded(cost) }), ...(flips ? [t("flips")] : []));
    return make("button", {
      type: "button", "data-node": this.nodes.push(node) - 1, "data-ply": played && index + 1, "data-cost": cost,
      "aria-current": played && index + 1 === game.ply ? "step" : null,
    }, make("span", {}, make("span", { class: `dot ${side}` }), make("span", {}, ...broken(move))),
    make("span", { class: "worth", "aria-hidden": "true" }, text),
    make("span", { class: "cost", "aria-hidden": "true" }, cost ? `${signed(-this.rounded(cost))}${flips ? "\u00a0!" : ""}` : ""),
    make("span", { class: "unseen" }, heard.join(", ")));
  }

  rounded(value) {
    return Math.round(1000 * value) / 1000;
  }

  // Draws the curve if anything is known.
  curve(judged, visible) {
    const { game, game: { moves: { length } } } = this;
    const bounds = Array.from({ length: length + 1 }, (_, ply) => (visible ? this.bounds(ply, judged) : null));
    const isKnown = length > 0 && bounds.some((one) => one !== null);
    by("graph").replaceChildren(...(isKnown ? [curveOf(bounds, judged, game.ply, this.kind.range, t("graph_label", { side: t(game.seats[0]) }))] : []));
  }

  // Goes to the next move that cost something, forwards or backwards.
  mistake(way) {
    for (let ply = this.game.ply + way; ply >= 1 && ply <= this.game.moves.length; ply += way) {
      if (this.costs[ply - 1] > 0) return this.game.go(ply);
    }
    return say(t("no_mistake"));
  }
}

// The value during a game as a curve: exact values as a line, bounds as bars.

const [WIDE, HIGH, EDGE] = [360, 92, 14];

const step = (count) => (WIDE - 2 * EDGE) / Math.max(count, 1);

// The ply at a fraction of the curve's width.
const plyAt = (part, count) => Math.round((part * WIDE - EDGE) / step(count));

// `bounds` holds { low, high } or null for each ply from 0, `judged` the known value of each move.
function curveOf(bounds, judged, ply, range, label) {
  const exact = bounds.map((one) => (one && one.low === one.high ? one.low : null));
  const top = Math.max(range, ...exact.map((value) => Math.abs(value ?? 0)));
  const most = top + Math.min(1, top / 4);
  const x = (at) => EDGE + step(judged.length) * at;
  const y = (value) => HIGH / 2 - (Math.max(-most, Math.min(most, value)) / most) * (HIGH / 2 - 8);
  const parts = [draw("line", { class: "zero", x1: EDGE, x2: WIDE - EDGE, y1: y(0), y2: y(0) })];
  let path = "";
  bounds.forEach((one, at) => {
    if (one && exact[at] === null) {
      parts.push(draw("line", { class: "range", x1: x(at), x2: x(at), y1: y(one.low), y2: y(one.high) }));
    }
    if (exact[at] !== null) path += `${at && exact[at - 1] !== null ? "L" : "M"}${x(at).toFixed(1)} ${y(exact[at]).toFixed(1)}`;
  });
  parts.push(draw("path", { class: "curve", d: path }), draw("line", { class: "here", x1: x(ply), x2: x(ply), y1: 2, y2: HIGH - 2 }));
  judged.forEach((one, index) => {
    if (!one?.cost || exact[index + 1] === null) return;
    const [cx, cy] = [x(index + 1), y(exact[index + 1])];
    parts.push(one.flips
      ? draw("path", { class: "flip", d: `M${cx} ${cy - 6}l6 6-6 6-6-6Z` })
      : draw("circle", { class: "mistake", cx, cy, r: 3.5 }));
  });
  parts.push(...[[top, 12], [-top, HIGH - 4]].map(([value, at]) => draw("text", { x: 0, y: at }, signed(value))));
  return draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", role: "img", "aria-label": label }, ...parts);
}
