// The moves of the game: a list with what each is worth and what it cost, and a curve of the margin.

import { by, draw, mark } from "./dom.js";
import { goWhereClicked, listMoves } from "./move_list.js";
import { stream } from "./server.js";
import { say, signed, t } from "./texts.js";

const [WIDE, HIGH, EDGE] = [360, 92, 14];

export class Moves {
  constructor(game, analysis) {
    this.game = game;
    this.analysis = analysis;
    this.shown = "";
    goWhereClicked(by("moves"), game);
    by("graph").addEventListener("click", (event) => {
      const svg = by("graph").querySelector("svg");
      const box = svg.getBoundingClientRect();
      game.go(Math.round(((event.clientX - box.left) / box.width * WIDE - EDGE) / this.step()));
    });
    by("grade").addEventListener("click", () => this.grade());
    game.addEventListener("replace", () => this.forget());
  }

  forget() {
    this.grading?.abort();
    by("graded").textContent = "";
  }

  step() {
    return (WIDE - 2 * EDGE) / Math.max(this.game.moves.length, 1);
  }

  // What is known of a move: its value and its cost for the side that made it.
  judged(ply) {
    const before = this.analysis.of(ply - 1);
    const after = this.analysis.of(ply);
    const move = before?.moves.find((one) => one.field === this.game.moves[ply - 1]);
    let value = move?.margin ?? null;
    if (value === null && after?.margin !== null && after !== null) value = -after.margin;
    if (value === null) return null;
    const best = before?.margin ?? null;
    return { value, cost: best === null ? null : best - value, flips: best !== null && Math.sign(best) !== Math.sign(value) };
  }

  // Red's margin after so many moves, as bounds; null if nothing is known.
  margin(ply) {
    const known = this.analysis.of(ply);
    const sign = this.game.mover(ply) === "red" ? 1 : -1;
    if (known) {
      const ends = [sign * known.lower, sign * known.upper];
      return { low: Math.min(...ends), high: Math.max(...ends) };
    }
    const last = ply > 0 ? this.judged(ply) : null;
    return last ? { low: -sign * last.value, high: -sign * last.value } : null;
  }

  update() {
    const { game } = this;
    const visible = this.analysis.on || by("graded").textContent;
    const judged = game.moves.map((_, index) => (visible ? this.judged(index + 1) : null));
    this.costs = judged.map((one) => one?.cost ?? 0);
    const said = JSON.stringify([game.moves, game.ply, judged, game.first, document.documentElement.lang]);
    if (said === this.shown) return;
    this.shown = said;
    this.list(judged);
    this.curve(judged, visible);
    by("grade").disabled = game.moves.length === 0;
  }

  list(judged) {
    listMoves(by("moves"), this.game.moves.map((field, index) => {
      const one = judged[index];
      return {
        move: field,
        side: this.game.mover(index),
        worth: one ? signed(one.value) : "",
        spoken: one ? signed(one.value) : "",
        cost: one?.cost ?? null,
        flips: one?.flips,
      };
    }), this.game.ply);
  }

  curve(judged, visible) {
    const count = this.game.moves.length;
    const margins = Array.from({ length: count + 1 }, (_, ply) => (visible ? this.margin(ply) : null));
    if (!count || margins.every((one) => one === null)) {
      by("graph").replaceChildren();
      return;
    }
    const exact = margins.map((one) => (one && one.low === one.high ? one.low : null));
    const most = Math.max(4, ...exact.map((value) => Math.abs(value ?? 0))) + 1;
    const x = (ply) => EDGE + this.step() * ply;
    const y = (value) => HIGH / 2 - (Math.max(-most, Math.min(most, value)) / most) * (HIGH / 2 - 8);
    const parts = [draw("line", { class: "zero", x1: EDGE, x2: WIDE - EDGE, y1: y(0), y2: y(0) })];
    let path = "";
    margins.forEach((one, ply) => {
      if (one && exact[ply] === null) {
        parts.push(draw("line", { class: "range", x1: x(ply), x2: x(ply), y1: y(one.low), y2: y(one.high) }));
      }
      if (exact[ply] !== null) path += `${ply && exact[ply - 1] !== null ? "L" : "M"}${x(ply).toFixed(1)} ${y(exact[ply]).toFixed(1)}`;
    });
    parts.push(draw("path", { class: "curve", d: path }));
    const here = x(this.game.ply);
    parts.push(draw("line", { class: "here", x1: here, x2: here, y1: 2, y2: HIGH - 2 }));
    judged.forEach((one, index) => {
      if (!one?.cost || exact[index + 1] === null) return;
      const [cx, cy] = [x(index + 1), y(exact[index + 1])];
      parts.push(one.flips
        ? draw("path", { class: "flip", d: `M${cx} ${cy - 6}l6 6-6 6-6-6Z` })
        : draw("circle", { class: "mistake", cx, cy, r: 3.5 }));
    });
    for (const [text, at] of [[signed(most - 1), 12], [signed(1 - most), HIGH - 4]]) {
      const label = draw("text", { x: 0, y: at });
      label.textContent = text;
      parts.push(label);
    }
    by("graph").replaceChildren(draw("svg", {
      viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", role: "img", "aria-label": t("graph_label"),
    }, ...parts));
  }

  // The next move that cost something, forwards or backwards.
  mistake(way) {
    for (let ply = this.game.ply + way; ply >= 1 && ply <= this.game.moves.length; ply += way) {
      if (this.costs[ply - 1] > 0) return this.game.go(ply);
    }
    return say(t("no_mistake"));
  }

  // Has the whole game judged, from its end backwards.
  async grade() {
    this.grading?.abort();
    const grading = new AbortController();
    this.grading = grading;
    const note = by("graded");
    const whole = this.game.moves.length;
    note.textContent = t("grading", { done: 0, whole });
    mark(by("grade"), "disabled", true);
    try {
      let done = 0;
      await stream("/api/grade", this.game.asked(whole), (kind, said) => {
        if (grading.signal.aborted) return;
        if (kind === "move") {
          done += 1;
          this.game.kfns[said.ply - 1] = said.solution.kfn;
          this.analysis.keep(said.solution);
          note.textContent = t("grading", { done, whole });
        } else {
          note.textContent = said.moves.length ? ["red", "black"].map((side) => this.share(side, said[side])).join(" \u00b7 ")
            + (said.from_ply > 1 ? ` (${t("graded_from", { ply: said.from_ply })})` : "") : t("nothing_graded");
          say(note.textContent);
        }
        this.update();
      }, grading.signal);
    } catch (error) {
      if (!grading.signal.aborted) note.textContent = error.message;
    }
    mark(by("grade"), "disabled", null);
  }

  share(side, found) {
    const percent = found.accuracy === null ? "\u2013" : `${Math.round(100 * found.accuracy)} %`;
    return t("graded_side", { side: t(side), percent, lost: found.lost });
  }
}
