// The moves of the game: a list with what each is worth and what it cost, and a curve of the value.

import { by, make } from "./dom.js";
import { say, signed, t } from "./texts.js";

const IN_A_ROW = 2;

export class Moves {
  constructor(table) {
    this.table = table;
    this.game = table.game;
    this.kind = table.kind;
    this.graded = new Map(); // by the moves up to one: what the server has said of it
    this.costs = [];
    this.shown = "";
    by("moves").addEventListener("click", (event) => {
      const ply = event.target.closest("[data-ply]")?.dataset.ply;
      if (ply) this.game.go(Number(ply));
    });
    by("graph").addEventListener("click", (event) => {
      const { left, width } = by("graph").querySelector("svg").getBoundingClientRect();
      import("./curve.js").then(({ plyAt }) => this.game.go(plyAt((event.clientX - left) / width, this.game.moves.length)));
    });
    by("grade").addEventListener("click", () => import("./grading.js").then(({ grade }) => grade(this)));
    this.game.addEventListener("replace", () => this.forget());
  }

  forget() {
    this.grading?.abort();
    this.graded.clear();
    by("graded").textContent = "";
  }

  key(ply) {
    return JSON.stringify([this.game.moves.slice(0, ply), this.game.counts]);
  }

  // The known value of the position after so many moves, for the side to move there.
  at(ply) {
    const found = this.table.values.of(this.table.asked(ply));
    return found && this.kind.judged(found.told, { ...this.table.view, turn: this.game.mover(ply) });
  }

  // The known value of a move and its cost, for the side that made it.
  judged(ply) {
    const graded = this.graded.get(this.key(ply));
    if (graded) return { ...graded, text: this.words(graded.value) };
    const before = this.at(ply - 1);
    const one = before?.moves.get(this.game.moves[ply - 1]);
    let value = one?.value;
    if (value === undefined && this.game.seats.length === 2) {
      const after = this.at(ply);
      if (after?.exact && after.lower !== undefined) value = -after.lower;
    }
    if (value === undefined) return one?.text ? { text: one.text, spoken: one.spoken } : null;
    const best = before?.exact ? before.lower : undefined;
    const flips = best !== undefined && Math.sign(best) !== Math.sign(value);
    return { value, text: one?.text ?? this.words(value), spoken: one?.spoken, cost: best === undefined ? null : best - value, flips };
  }

  words(value) {
    return this.kind.valueText(value);
  }

  // The value for the first seat after so many moves, as bounds; null if nothing is known.
  bounds(ply) {
    const sign = this.game.mover(ply) === this.game.seats[0] ? 1 : -1;
    const known = this.at(ply);
    if (known?.lower !== undefined) {
      const ends = [sign * known.lower, sign * known.upper];
      return { low: Math.min(...ends), high: Math.max(...ends) };
    }
    const value = ply > 0 ? this.judged(ply)?.value : undefined;
    const side = this.game.mover(ply - 1) === this.game.seats[0] ? 1 : -1;
    return value === undefined ? null : { low: side * value, high: side * value };
  }

  update() {
    const { game } = this;
    if (!this.table.view) return;
    const visible = this.table.values.on || by("graded").textContent;
    const judged = game.moves.map((_, index) => (visible ? this.judged(index + 1) : null));
    this.costs = judged.map((one) => one?.cost ?? 0);
    by("grade").disabled = game.moves.length === 0;
    const said = JSON.stringify([game.moves, game.ply, judged, game.seats, game.first, game.movers, document.documentElement.lang]);
    if (said === this.shown) return;
    this.shown = said;
    this.list(judged);
    this.curve(judged, visible && game.seats.length === 2);
  }

  // Two moves in a row, with the number of the round, or of the first move where more than two play.
  list(judged) {
    const { game } = this;
    const items = [];
    let row = null;
    game.moves.forEach((move, index) => {
      const { text = "", spoken = text, cost = null, flips = false } = judged[index] ?? {};
      const side = game.mover(index);
      if (index % IN_A_ROW === 0) {
        row = make("li", {}, make("span", { class: "number" }, `${game.seats.length > 2 ? index + 1 : index / IN_A_ROW + 1}.`));
        items.push(row);
      }
      const label = [t("move_label", { number: index + 1, side: t(side), field: move })];
      if (spoken) label.push(spoken);
      if (cost) label.push(t("cost_label", { cost: this.rounded(cost) }));
      row.append(make("button", {
        type: "button", "data-ply": index + 1, "data-cost": cost, "aria-label": label.join(", "),
        "aria-current": index + 1 === game.ply ? "step" : null,
      }, make("span", {}, make("span", { class: `dot ${side}` }), move),
      make("span", {}, make("span", { class: "worth" }, text), " ",
        make("span", { class: "cost" }, cost ? `${signed(-this.rounded(cost))}${flips ? "\u00a0!" : ""}` : ""))));
    });
    const list = by("moves");
    list.replaceChildren(...items);
    const here = list.querySelector("[aria-current]");
    if (here) list.scrollTop = here.offsetTop - list.offsetTop - list.clientHeight / 2;
  }

  rounded(value) {
    return Math.round(1000 * value) / 1000;
  }

  // The curve comes when there is one to draw.
  async curve(judged, visible) {
    const count = this.game.moves.length;
    const bounds = Array.from({ length: count + 1 }, (_, ply) => (visible ? this.bounds(ply) : null));
    if (!count || bounds.every((one) => one === null)) return by("graph").replaceChildren();
    const { shown } = this;
    const { curveOf } = await import("./curve.js");
    if (shown !== this.shown) return undefined;
    return by("graph").replaceChildren(curveOf(bounds, judged, this.game.ply, this.kind.range, t("graph_label", { side: t(this.game.seats[0]) })));
  }

  // The next move that cost something, forwards or backwards.
  mistake(way) {
    for (let ply = this.game.ply + way; ply >= 1 && ply <= this.game.moves.length; ply += way) {
      if (this.costs[ply - 1] > 0) return this.game.go(ply);
    }
    return say(t("no_mistake"));
  }
}
