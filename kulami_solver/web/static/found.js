// The games kept by the server in which the position on the board came up, in any orientation.

import { by, make, mark } from "./dom.js";
import { described, openGame } from "./games.js";
import { holding } from "./keeper.js";
import { isEntry } from "./kept.js";
import { t } from "./texts.js";

export class Found {
  constructor(table) {
    this.table = table;
    this.title = make("h2", { id: "found-title" });
    this.list = make("ol", { id: "found", class: "found" });
    by("side").append(make("section", { class: "card", "aria-labelledby": "found-title", "data-role": "found" }, this.title, this.list));
    this.update();
  }

  async update() {
    const { table } = this;
    this.asking?.abort();
    const { signal } = this.asking = new AbortController();
    this.title.textContent = t("games_here");
    mark(this.list, "aria-busy", "true");
    try {
      const games = (await holding(table.kind, table.asked(), signal)).filter((one) => isEntry(one) && one.id !== table.id);
      this.list.replaceChildren(...(games.length ? games.map((one) => this.row(one)) : [make("li", { class: "searched" }, t("no_games_here"))]));
    } catch (error) {
      if (error.name === "AbortError") return;
      this.list.replaceChildren(make("li", { class: "searched" }, error.message));
    }
    mark(this.list, "aria-busy", null);
  }

  row(one) {
    const { title, words } = described(one);
    const open = make("button", { type: "button", class: "open", click: () => openGame(this.table, one, one.ply) }, t("open_game"));
    return make("li", { "data-game": one.id }, make("p", {}, one.name || title, " ", make("span", { class: "searched" }, ...words)), open);
  }
}
