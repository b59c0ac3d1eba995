// The dialog for everything but playing: other boards, editors and import.

import { by, make, mark, parsed } from "../dom.js";
import { takeIn, textOf } from "../exchange.js";
import { Board } from "./board.js";
import { LayoutEditor } from "./layout_editor.js";
import { ask, coming, tried } from "../server.js";
import { learnSentences, sentence, signed, t, translate } from "../texts.js";

const TABS = ["layout", "panels", "position", "import"];
const MOVES = /^[a-z]\d+(?:[\s,]+[a-z]\d+)+$/i; // a text of moves alone, which are made on the page's board

// Puts the dialog on the page.
export async function makeSetup(table) {
  const html = await (await coming(fetch(new URL("setup.html", import.meta.url)))).text();
  document.body.insertAdjacentHTML("beforeend", html);
  by("first").closest(".row").append(...Object.entries(table.kind.usual).map(input));
  translate(by("setup"));
  return new Setup(table);
}

// The part of the form for an option of the edition, by its usual value.
function input([name, value]) {
  const check = typeof value === "boolean";
  const own = make("input", { id: idOf(name), type: check ? "checkbox" : "number", min: 1, max: 64, value });
  const text = make("span", { "data-text": name });
  return make("label", { class: check ? "check" : "" }, ...(check ? [own, " ", text] : [text, " ", own]));
}

const idOf = (name) => name.replaceAll("_", "-");
const valueIn = ({ type, checked, value }) => (type === "checkbox" ? checked : Number(value));

// A board to look at only: to screen readers it is an image in the reader's language.
function picture(text) {
  const svg = parsed(text);
  for (const english of svg.querySelectorAll("title, desc")) english.remove();
  mark(svg, "role", "img");
  mark(svg, "aria-label", t("board"));
  return svg;
}

class Setup {
  constructor(table) {
    this.table = table;
    this.game = table.game;
    this.dialog = by("setup");
    this.panels = new LayoutEditor(() => this.view.layout, (layout) => this.open({ start: this.begun(layout) }));
    this.arranged = new PositionEditor(table.kind.named, (start) => this.open({ start }), (view) => this.edition((name) => view[name]));
    this.listen();
  }

  get view() {
    return this.table.view;
  }

  // Replaces the game by the one to be played on.
  open(game) {
    this.dialog.close();
    this.game.replace(game);
  }

  begun(layout) {
    return { layout, first: by("first").value, ...this.edition((name) => valueIn(by(idOf(name)))) };
  }

  // The options of the edition, each with its value.
  edition(valueOf) {
    return Object.fromEntries(Object.keys(this.table.kind.usual).map((name) => [name, valueOf(name)]));
  }

  async show(tab = "layout") {
    await learnSentences(); // for remarks on unusual layouts
    if (!this.dialog.open) {
      by("layout-text").value = this.view.layout;
      this.look();
      this.dialog.showModal();
    }
    for (const name of TABS) {
      by(`tab-${name}`).setAttribute("aria-selected", name === tab);
      by(`tab-${name}`).tabIndex = name === tab ? 0 : -1;
      by(`pane-${name}`).hidden = name !== tab;
    }
    if (tab === "layout") this.listSmall();
    if (tab === "panels") this.panels.load(this.view.layout);
    if (tab === "position") this.arranged.load(this.view, this.view.wood);
  }

  listen() {
    TABS.forEach((name, place) => {
      by(`tab-${name}`).addEventListener("click", () => this.show(name));
      by(`tab-${name}`).addEventListener("keydown", (event) => {
        const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!way) return;
        const next = TABS[(place + way + TABS.length) % TABS.length];
        this.show(next).then(() => by(`tab-${next}`).focus());
      });
    });
    by("layout-square").addEventListener("click", () => this.choose("square"));
    by("layout-rulebook").addEventListener("click", () => this.choose("rulebook"));
    by("layout-random").addEventListener("click", async () => {
      by("seed").value = Math.floor(Math.random() * 1e6);
      await this.random();
    });
    by("seed").addEventListener("change", () => this.random());
    by("irregular").addEventListener("change", () => this.random());
    by("small").addEventListener("change", () => by("small").value && this.choose(by("small").value));
    by("layout-text").addEventListener("change", () => this.look());
    by("new-layout").addEventListener("submit", async (event) => {
      event.preventDefault();
      if (await this.look()) this.open({ start: this.begun(by("layout-text").value.trim()) });
    });
    by("take-in").addEventListener("submit", (event) => {
      event.preventDefault();
      this.takeIn();
    });
    by("file").addEventListener("change", () => this.read(by("file").files[0]));
  }

  async random() {
    const seed = Math.min(Number(by("seed").max), Math.max(0, Math.floor(Number(by("seed").value) || 0)));
    by("seed").value = seed; // what was typed may be no such number
    const found = await tried(() => ask("/api/layout", { seed, irregular: by("irregular").checked }), by("layout-wrong"));
    if (found) await this.choose(found.layout);
  }

  async choose(layout) {
    by("layout-text").value = layout;
    await this.look();
  }

  // Shows the layout that is typed, or says what is wrong with it.
  async look() {
    const layout = by("layout-text").value.trim();
    return tried(async () => {
      const [about, drawn] = await Promise.all([ask("/api/layout", { layout }), ask("/api/board", { layout })]);
      by("layout-wrong").textContent = "";
      by("preview-note").textContent = [t("fields_count", { count: about.fields }), ...about.unusual.map(sentence)].join("; ");
      by("preview").replaceChildren(picture(drawn.svg));
      return true;
    }, by("layout-wrong"));
  }

  async listSmall() {
    if (by("small").options.length) return;
    const { small } = await ask("/api/layouts");
    by("small").replaceChildren(make("option", { value: "" }, "\u2013"), ...small.map(({ layout, values }) => make("option", { value: layout },
      `${layout}   ${Object.entries(values).map(([scoring, value]) => `${scoring}${t("colon")}${signed(value)}`).join("  ")}`)));
  }

  // Import

  // Takes a text or a file that was pasted or dropped anywhere on the page. While a game is under way,
  // the reader is asked first.
  async receive({ text, dropped }) {
    const asks = this.table.isUnderWay;
    await this.show("import");
    if (asks) by("take-in").querySelector(".main").focus();
    if (dropped) return this.read(dropped, asks);
    by("pasted").value = text;
    return asks ? undefined : this.takeIn();
  }

  async read(chosen, asks = false) {
    if (!chosen) return;
    const text = await textOf(chosen.slice(0, 1 << 22));
    // A file of games may be too long for a request: then the server gets only the chosen game.
    const wanted = Math.max(1, Number(by("import-game").value) || 1);
    by("pasted").value = text.length < 50000 ? text : text.split("\n").filter((line) => line.trim() && !/^(#|\{"journal":)/.test(line))[wanted - 1] ?? "";
    if (!asks) this.takeIn(text.length < 50000 ? wanted : 1);
  }

  takeIn(game = Math.max(1, Number(by("import-game").value) || 1)) {
    const text = by("pasted").value.trim();
    const wrong = by("import-wrong");
    return tried(async () => {
      if (MOVES.test(text)) {
        const { start, counts } = this.game;
        const moves = text.toLowerCase().split(/[\s,]+/);
        await ask("/api/position", { ...start, moves, ...counts });
        wrong.textContent = "";
        return this.open({ start, moves });
      }
      if (await takeIn(text, this.table)) {
        wrong.textContent = "";
        return this.dialog.close();
      }
      const asked = { text, first: by("import-first").value, game };
      if (by("import-turn").value) asked.turn = by("import-turn").value;
      if (by("import-last").value.trim()) asked.last = by("import-last").value.trim().toLowerCase();
      const found = await ask("/api/import", asked);
      wrong.textContent = "";
      const { kfn, layout, first, moves = [], comments, variations } = found;
      return this.open({
        start: { ...(kfn ? { kfn } : { layout, first }), ...this.edition((name) => found[name]) }, moves,
        line: { moves, comments, variations }, counts: { scoring: found.scoring ?? this.game.counts.scoring },
      });
    }, wrong);
  }
}

// Editing a position: the reader puts marbles on fields one by one; the server checks the position.
class PositionEditor {
  constructor(named, use, editionOf) {
    this.board = new Board(by("arrange-board"), { choose: (field) => this.put(field), named });
    by("arrange-clear").addEventListener("click", () => {
      this.lies = new Map();
      this.last = [];
      this.draw();
    });
    by("arrange").addEventListener("submit", async (event) => {
      event.preventDefault();
      const { layout } = this.view;
      const edition = editionOf(this.view);
      const found = await tried(() => ask("/api/arrange", {
        layout, red: this.of("red"), black: this.of("black"), turn: by("arrange-turn").value,
        last: this.last.filter(Boolean), ...edition,
      }), by("arrange-wrong"));
      if (found) use({ kfn: found.kfn, ...edition });
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
