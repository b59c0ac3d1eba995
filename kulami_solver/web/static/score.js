// The card with the score, part by part. Once a game is over, it comes first, with the result and what
// to do next.

import { by, make, mark } from "./dom.js";
import { capital, t } from "./texts.js";

export class Score {
  constructor(table) {
    Object.assign(this, { table, card: by("score-card") });
    this.ending = make("div", { id: "ending", class: "ending" });
    by("score-title").parentNode.after(this.ending);
  }

  update(view) {
    this.list(view);
    if (view.over !== this.card.hasAttribute("data-over")) {
      mark(this.card, "data-over", view.over);
      by("side")[view.over ? "prepend" : "append"](this.card);
    }
    const focused = this.ending.contains(document.activeElement) ? document.activeElement.id : "";
    this.ending.replaceChildren(...(view.over ? this.told(view) : []));
    if (focused) by(focused)?.focus();
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

  told(view) {
    const note = make("p", { class: "searched", role: "status" });
    const button = (id, click, main) => make("button", { type: "button", id, class: main ? "main" : null, click }, t(id));
    return [
      make("p", { class: "result" }, this.table.kind.result(view)),
      make("div", { class: "row" }, button("rematch", () => this.rematch(), true), button("analyse", () => this.analyse()), button("share", () => this.share(note))),
      note,
    ];
  }

  // Begins another game, in which each side gets the former player of the next side.
  rematch() {
    const { table: { game, kind, opponent, values } } = this;
    const sat = game.seats.map((side) => opponent.player(side));
    const players = Object.fromEntries(game.seats.map((side, place) => [side, sat[(place + 1) % sat.length]]));
    opponent.take({ players, others: opponent.others });
    if (sat.some((player) => player !== "human")) values.set(false);
    game.replace({ start: kind.again(game.start) });
  }

  // Shows the hands, the values, and the cost of each move. No bot plays on.
  async analyse() {
    const { table, table: { opponent, values } } = this;
    opponent.take();
    if (table.kind.hides) table.openHands(true);
    values.toggle(true);
    if (!(await table.moves()).grading) by("grade").click();
  }

  async share(note) {
    try {
      if (navigator.share) {
        await navigator.share({ title: document.title, url: location.href });
      } else {
        await navigator.clipboard.writeText(location.href);
        note.textContent = t("copied", { name: t("format_link") });
      }
    } catch {
      note.textContent = location.href; // to be copied by hand
    }
  }
}
