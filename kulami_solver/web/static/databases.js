// Databases from the reader's disk, on the page without a server: values of their positions come from
// the file, without a search. Each database is listed with a button to its first position.

import { by, make } from "./dom.js";
import { closeFile, openFile, tried } from "./server.js";
import { say, t } from "./texts.js";

const MAGIC = "KULAMIDB";

export class Databases {
  constructor(table) {
    this.table = table;
    this.opened = new Map(); // the description of each open file, by its name
    this.input = make("input", {
      type: "file", id: "database", accept: ".kdb", multiple: true, class: "unseen",
      change: () => this.open([...this.input.files]),
    });
    this.label = make("button", { type: "button", id: "open-database", click: () => this.input.click() });
    this.input.tabIndex = -1;
    this.list = make("ul", { id: "databases", class: "databases" });
    this.wrong = make("p", { id: "database-wrong", class: "wrong", role: "alert" });
    by("seconds").closest(".choices").after(make("div", { class: "choices" }, this.label, this.input), this.wrong, this.list);
    this.relabel();
  }

  // Opens a file that was dropped on the page, if it is a database; returns whether it is.
  async takes(file) {
    if (!file.name.endsWith(".kdb") && (await file.slice(0, MAGIC.length).text()) !== MAGIC) return false;
    await this.open([file]);
    return true;
  }

  async open(files) {
    this.wrong.textContent = "";
    for (const file of files) {
      const said = await tried(() => openFile(this.table.kind.name, file), this.wrong);
      if (!said) continue;
      this.opened.set(file.name, said);
      say(this.words(file.name));
    }
    this.input.value = ""; // or the same file could not be chosen again
    this.relabel();
    this.table.values.again();
  }

  close(name) {
    this.opened.delete(name);
    closeFile(name);
    this.relabel();
    this.label.focus();
  }

  // Goes to the first position of a database.
  show(said) {
    const { game, kind } = this.table;
    game.replace({ ...kind.reads(said), moves: [] });
  }

  words(name) {
    const { positions } = this.opened.get(name);
    return t("database_open", { name, positions: positions.toLocaleString(document.documentElement.lang) });
  }

  relabel() {
    this.label.textContent = t("open_database");
    this.input.setAttribute("aria-label", t("open_database"));
    this.list.replaceChildren(...[...this.opened].map(([name, said]) => make("li", { "data-database": name },
      make("span", {}, this.words(name)),
      make("button", { type: "button", click: () => this.show(said) }, t("database_start")),
      make("button", { type: "button", class: "icon", "aria-label": t("close_database", { name }), click: () => this.close(name) }, "\u2715"))));
  }
}
