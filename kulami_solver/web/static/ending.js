// The card beside the board once a game is over: its result, its score, and what to do next.

import { by, make, mark } from "./dom.js";
import { t } from "./texts.js";

export class Ending {
  constructor(table) {
    Object.assign(this, { table, card: by("score-card") });
    this.part = make("div", { id: "ending", class: "ending" });
    by("score-title").parentNode.after(this.part);
  }

  // Puts the score first while the position on the board is the end of a game.
  update(view) {
    if (view.over !== this.card.hasAttribute("data-over")) {
      mark(this.card, "data-over", view.over);
      by("side")[view.over ? "prepend" : "append"](this.card);
    }
    const focused = this.part.contains(document.activeElement) ? document.activeElement.id : "";
    this.part.replaceChildren(...(view.over ? this.told(view) : []));
    if (focused) by(focused)?.focus();
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
