// Editing a position: the reader puts marbles on fields one by one; the server checks the position.

import { Board } from "./board.js";
import { by } from "../dom.js";
import { ask } from "../server.js";
import { t } from "../texts.js";

export class PositionEditor {
  constructor(named, use) {
    this.board = new Board(by("arrange-board"), { choose: (field) => this.put(field), named });
    by("arrange-clear").addEventListener("click", () => {
      this.lies = new Map();
      this.last = [];
      this.draw();
    });
    by("arrange").addEventListener("submit", async (event) => {
      event.preventDefault();
      try {
        const { layout, marbles, short_end } = this.view;
        const { kfn } = await ask("/api/arrange", {
          layout, red: this.of("red"), black: this.of("black"), turn: by("arrange-turn").value,
          last: this.last.filter(Boolean), marbles, short_end,
        });
        use({ kfn, marbles, short_end });
      } catch (error) {
        by("arrange-wrong").textContent = error.message;
      }
    });
  }

  of(colour) {
    return [...this.lies].filter(([, one]) => one === colour).map(([field]) => field);
  }

  // Begins with the position on the page's board.
  load(view, drawn) {
    this.view = view;
    this.lies = new Map([...view.red.map((f) => [f, "red"]), ...view.black.map((f) => [f, "black"])]);
    this.last = [...view.last];
    by("arrange-turn").value = view.turn;
    this.board.build(drawn, t("tab_position"));
    this.draw();
  }

  put(field) {
    const tool = document.querySelector("input[name=tool]:checked").value;
    if (tool === "red" || tool === "black") {
      if (this.lies.get(field) === tool) this.lies.delete(field);
      else this.lies.set(field, tool);
    } else if (tool === "none") {
      this.lies.delete(field);
    } else if (this.lies.has(field)) {
      const place = tool === "last" ? 0 : 1;
      const other = this.last[1 - place];
      this.last[place] = field;
      if (other === field) this.last[1 - place] = undefined;
    }
    this.last = this.last.map((name) => (this.lies.has(name) ? name : undefined));
    this.draw();
  }

  draw() {
    by("arrange-wrong").textContent = "";
    this.board.show({
      ...this.view, legal: [], barred: [], last: this.last, red: this.of("red"), black: this.of("black"),
      areas: { red: [], black: [] }, chains: { red: [], black: [] }, panels: this.view.panels.map(() => null),
    });
  }
}
