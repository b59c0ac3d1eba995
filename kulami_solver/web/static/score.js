// The card with the score, part by part. Once a game is over, it comes first, with what to do next;
// once it is graded, with the moves that cost most.

import { by, make, mark } from "./dom.js";
import { capital, t } from "./texts.js";

const LEARNED = 3; // moves that cost most

export class Score {
  constructor(table) {
    Object.assign(this, { table, card: by("score-card") });
    this.ending = make("div", { id: "ending", class: "ending" });
    by("score-title").parentNode.after(this.ending);
  }

  update(view) {
    this.list(view);
    const learned = this.learned();
    if (view.over !== document.body.hasAttribute("data-over")) {
      mark(document.body, "data-over", view.over);
      by("side")[view.over ? "prepend" : "append"](this.card);
    }
    const focused = this.ending.contains(document.activeElement) ? document.activeElement.id : "";
    this.ending.replaceChildren(...(view.over ? this.told() : []), ...learned);
    if (focused) (by(focused) ?? this.ending.querySelector(".mistakes button") ?? by("rematch"))?.focus();
  }

  // The moves of a graded game that cost most, those of people if bots have played, each with the
  // reason and a way to do better; or how far the grading is.
  learned() {
    const { list, game: { seats }, opponent: { people } } = this.table;
    if (!list?.isGraded) return [];
    const blamed = people.length ? people : seats;
    const worst = list.costly.filter(({ side }) => blamed.includes(side)).slice(0, LEARNED).sort((one, other) => one.ply - other.ply);
    if (worst.length) return [make("ol", { class: "mistakes" }, ...worst.map((one) => this.mistake(one)))];
    return [make("p", { class: "searched" }, list.grading ? by("graded").textContent : t("no_cost"))];
  }

  mistake({ ply, move, side, cost, why }) {
    const { list, game } = this.table;
    const words = [`${t("move_label", { number: ply, side: t(side) })} ${move}`, t("cost_label", { cost: list.rounded(cost) })];
    return make("li", {},
      make("button", { type: "button", id: `mistake-${ply}`, class: "plain", click: () => game.go(ply) }, make("span", { class: `dot ${side}` }), words.join(t("colon"))),
      ...(why ? [list.because(why)] : []),
      make("button", { type: "button", id: `again-${ply}`, click: () => this.tryAgain(ply) }, t("try_from_here")));
  }

  // Goes back to where a move was made, without values.
  tryAgain(ply) {
    const { game, values, board } = this.table;
    values.toggle(false);
    game.go(ply - 1);
    board.focus();
  }

  list(view) {
    const parts = this.table.kind.score(view);
    const shows = parts.some(({ show }) => show);
    const heads = view.seats.map((side) => make("th", { scope: "col" }, make("span", { class: `dot ${side}` }), capital(t(side))));
    const rows = parts.map(({ text, values, total, show }) => make("tr", { class: total && shows ? "total" : null },
      make("th", { scope: "row" }, t(text)), ...view.seats.map((side) => make("td", { "data-score": total ? side : null }, values[side])),
      ...(shows ? [make("td", {}, ...(show ? [this.shower(show, text)] : []))] : [])));
    document.querySelector("[data-role=score]").replaceChildren(
      make("thead", {}, make("tr", {}, make("td"), ...heads, ...(shows ? [make("th", { scope: "col" }, t("show"))] : []))), make("tbody", {}, ...rows));
  }

  // A button that shows or hides a part of the score on the board.
  shower(show, text) {
    const list = by("board").classList;
    return make("button", {
      type: "button", "aria-pressed": String(list.contains(`show-${show}`)), "data-show": show, "aria-label": `${t("show")}${t("colon")}${t(text)}`,
      click: ({ target }) => target.setAttribute("aria-pressed", list.toggle(`show-${show}`)),
    }, t("show"));
  }

  told() {
    const { list } = this.table;
    const button = (id, text, click, main) => make("button", { type: "button", id, class: main ? "main" : null, click }, t(text));
    return [
      make("div", { class: "row" }, button("rematch", "rematch", () => this.rematch(), true),
        ...(list?.isGraded && !list.grading ? [] : [button("analyse", "learn", () => this.analyse())])),
    ];
  }

  // Begins another game, in which each side gets the former player of the next side.
  rematch() {
    const { table, table: { game, opponent } } = this;
    const sat = game.seats.map((side) => opponent.player(side));
    const players = Object.fromEntries(game.seats.map((side, place) => [side, sat[(place + 1) % sat.length]]));
    opponent.take({ players, others: opponent.others });
    table.again();
  }

  // Shows the hands, the values, and the cost of each move.
  async analyse() {
    const { table, table: { values } } = this;
    if (table.kind.hides) table.openHands(true);
    values.toggle(true);
    if (!(await table.moves()).grading) by("grade").click();
  }
}
