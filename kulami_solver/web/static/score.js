// The card with the score, part by part. Once a game is over, it comes first, with what to do next;
// once it is graded, with the moves that cost most.

import { by, make, mark } from "./dom.js";
import { capital, t } from "./texts.js";

const LEARNED = 3; // moves that cost most

export class Score {
  constructor(table) {
    Object.assign(this, { table, card: by("score-card"), sat: null });
    this.ending = make("div", { id: "ending", class: "ending" });
    by("score-title").parentNode.after(this.ending);
    table.game.addEventListener("replace", () => this.seatAgain());
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
    const { list, game: { seats }, opponent } = this.table;
    if (!list?.isGraded) return [];
    const people = this.sat?.people ?? opponent.people;
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

  // Goes back to where a move was made, with the players of the game and without values.
  tryAgain(ply) {
    const { game, opponent, values, board } = this.table;
    if (this.sat) opponent.take(this.sat);
    values.toggle(false);
    game.go(ply - 1);
    board.focus();
  }

  list(view) {
    const parts = this.table.kind.score(view);
    const shows = parts.some(({ show }) => show);
    const heads = view.seats.map((side) => make("th", { scope: "col" }, make("span", { class: `dot ${side}` }), capital(t(side))));
    const rows = parts.map(({ text, values, total, idle, show }) => make("tr", { class: [total && shows && "total", idle && "idle"].filter(Boolean).join(" ") || null },
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
    const note = make("p", { class: "searched", role: "status" });
    const button = (id, text, click, main) => make("button", { type: "button", id, class: main ? "main" : null, click }, t(text));
    return [
      make("div", { class: "row" }, button("rematch", "rematch", () => this.rematch(), true),
        ...(list?.isGraded && !list.grading ? [] : [button("analyse", "learn", () => this.analyse())]), button("share", "share", () => this.share(note))),
      note,
    ];
  }

  // Begins another game, in which each side gets the former player of the next side.
  rematch() {
    this.seatAgain();
    const { table: { game, kind, opponent, values } } = this;
    const sat = game.seats.map((side) => opponent.player(side));
    const players = Object.fromEntries(game.seats.map((side, place) => [side, sat[(place + 1) % sat.length]]));
    opponent.take({ players, others: opponent.others });
    if (sat.some((player) => player !== "human")) values.set(false);
    game.replace({ start: kind.again(game.start) });
  }

  // Shows the hands, the values, and the cost of each move. No bot plays on, unless a move is tried again.
  async analyse() {
    const { table, table: { opponent, values } } = this;
    const { players, others, people } = opponent;
    if (!this.sat || people.length < table.game.seats.length) this.sat = { players, others, people };
    opponent.take();
    if (table.kind.hides) table.openHands(true);
    values.toggle(true);
    if (!(await table.moves()).grading) by("grade").click();
  }

  // Seats the bots again in whose places the analysis has people, and hides what it shows.
  seatAgain() {
    const { sat, table, table: { game: { seats }, opponent, values } } = this;
    this.sat = null;
    if (!sat || sat.people.length === seats.length || opponent.people.length < seats.length) return;
    opponent.take(sat);
    values.set(false);
    if (table.kind.hides) table.openHands(false);
  }

  async share(note) {
    try {
      if (navigator.share) {
        await navigator.share({ title: document.title, url: location.href });
      } else {
        await navigator.clipboard.writeText(location.href);
        note.textContent = t("copied", { name: t("format_link") });
      }
    } catch ({ name }) {
      if (name !== "AbortError") note.textContent = `${t("copy_by_hand")} ${location.href}`; // else nobody wants it any more
    }
  }
}
