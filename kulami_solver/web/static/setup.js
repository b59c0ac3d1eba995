// The dialog for everything but playing: other boards, editors, import and export.

import { Board } from "./board.js";
import { by, make } from "./dom.js";
import { LayoutEditor } from "./layout_editor.js";
import { PositionEditor } from "./position_editor.js";
import { ask, file } from "./server.js";
import { learnSentences, sentence, signed, t } from "./texts.js";
import { Game } from "./game.js";

const TABS = ["layout", "panels", "position", "import", "export"];
const FORMATS = ["link", "kfn", "layout", "record", "kbn", "hagen"];

export class Setup {
  // `shown()` is what is on the page: the position, and the board it lies on.
  constructor(game, shown, named) {
    this.game = game;
    this.shown = shown;
    this.dialog = by("setup");
    this.preview = new Board(by("preview"), { chosen: () => {}, named });
    this.panels = new LayoutEditor(() => this.shown().view.layout, (layout) => this.open({ start: this.begun(layout) }));
    this.arranged = new PositionEditor(named, (kfn) => this.open({ start: this.supplied({ kfn }) }));
    this.listen();
  }

  // What is to be played on replaces the game.
  open(game) {
    this.dialog.close();
    this.game.replace(game);
  }

  supplied(start) {
    const { view } = this.shown();
    if (view.marbles !== 28) start.marbles = view.marbles;
    if (view.short_end) start.short_end = true;
    return start;
  }

  begun(layout) {
    const start = { layout, first: by("first").value };
    const marbles = Number(by("marbles").value);
    if (marbles !== 28) start.marbles = marbles;
    if (by("short-end").checked) start.short_end = true;
    return start;
  }

  async show(tab) {
    await learnSentences(); // what is unusual about a layout is among them
    if (!this.dialog.open) {
      by("layout-text").value = this.shown().view.layout;
      this.look();
      this.dialog.showModal();
    }
    for (const name of TABS) {
      by(`tab-${name}`).setAttribute("aria-selected", name === tab);
      by(`tab-${name}`).tabIndex = name === tab ? 0 : -1;
      by(`pane-${name}`).hidden = name !== tab;
    }
    if (tab === "layout") this.listSmall();
    if (tab === "panels") this.panels.load(this.shown().view.layout);
    if (tab === "position") this.arranged.load(this.shown().view, this.shown().drawn);
    if (tab === "export") this.write();
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
    for (const format of ["svg", "png"]) {
      by(`save-${format}`).addEventListener("click", () => this.save(format));
    }
  }

  async random() {
    const seed = Math.max(0, Math.floor(Number(by("seed").value) || 0));
    try {
      const { layout } = await ask("/api/layout", { seed, irregular: by("irregular").checked });
      await this.choose(layout);
    } catch (error) {
      by("layout-wrong").textContent = error.message;
    }
  }

  async choose(layout) {
    by("layout-text").value = layout;
    await this.look();
  }

  // Shows the layout that is typed, or says what is wrong with it.
  async look() {
    const layout = by("layout-text").value.trim();
    try {
      const [about, drawn] = await Promise.all([ask("/api/layout", { layout }), ask("/api/board", { layout })]);
      by("layout-wrong").textContent = "";
      by("preview-note").textContent = [t("fields_count", { count: about.fields }), ...about.unusual.map(sentence)].join("; ");
      this.preview.build(drawn, t("layout_text"));
      return true;
    } catch (error) {
      by("layout-wrong").textContent = error.message;
      return false;
    }
  }

  async listSmall() {
    if (by("small").options.length) return;
    const { small } = await ask("/api/layouts");
    by("small").replaceChildren(make("option", { value: "" }, "\u2013"), ...small.map(({ layout, values }) => make("option", { value: layout },
      `${layout}   ${Object.entries(values).map(([scoring, value]) => `${scoring}: ${signed(value)}`).join("  ")}`)));
  }

  // Import

  // Takes what was pasted or dropped anywhere on the page.
  async receive({ text, dropped }) {
    await this.show("import");
    if (dropped) return this.read(dropped);
    by("pasted").value = text;
    return this.takeIn();
  }

  async read(chosen) {
    if (!chosen) return;
    const text = await chosen.slice(0, 1 << 22).text();
    // A file of games is longer than a request may be: the server gets the one that is asked for.
    const wanted = Math.max(1, Number(by("import-game").value) || 1);
    by("pasted").value = text.length < 50000 ? text : text.split("\n").filter((line) => line.trim() && !line.startsWith("#"))[wanted - 1] ?? "";
    this.takeIn(text.length < 50000 ? wanted : 1);
  }

  async takeIn(game = Math.max(1, Number(by("import-game").value) || 1)) {
    const text = by("pasted").value.trim();
    const wrong = by("import-wrong");
    try {
      const linked = /^\S*#(\S.*)$/.exec(text);
      const read = linked && Game.read(linked[1]);
      if (read) {
        await ask("/api/position", { ...read.start, moves: read.moves, scoring: read.scoring });
        wrong.textContent = "";
        return this.open(read);
      }
      const asked = { text, first: by("import-first").value, game };
      if (by("import-turn").value) asked.turn = by("import-turn").value;
      if (by("import-last").value.trim()) asked.last = by("import-last").value.trim().toLowerCase();
      const found = await ask("/api/import", asked);
      wrong.textContent = "";
      const start = found.kfn ? { kfn: found.kfn } : { layout: found.layout, first: found.first };
      if (found.marbles && found.marbles !== 28) start.marbles = found.marbles;
      if (found.short_end) start.short_end = true;
      return this.open({ start, moves: found.moves ?? [], scoring: found.scoring ?? this.game.scoring });
    } catch (error) {
      wrong.textContent = error.message;
    }
    return undefined;
  }

  // Export

  async write() {
    const found = await ask("/api/export", this.game.asked());
    found.link = { text: location.origin + location.pathname + this.game.hash };
    by("exports").replaceChildren(...FORMATS.flatMap((name) => {
      const id = `export-${name}`;
      const { text, lost = [], error } = found[name];
      const input = make("input", { id, readonly: true, value: text ?? "", disabled: error !== undefined });
      const copy = make("button", { type: "button", "aria-label": `${t("copy")}: ${t(`format_${name}`)}`, disabled: error !== undefined }, t("copy"));
      copy.addEventListener("click", async () => {
        try {
          await navigator.clipboard.writeText(text);
          by("export-note").textContent = t("copied", { name: t(`format_${name}`) });
        } catch {
          input.select(); // a browser may refuse: then it can be copied by hand
        }
      });
      const note = error ? sentence(found[name]) : lost.length ? t("loses", { what: lost.map(sentence).join(", ") }) : "";
      return [make("div", { class: "export" }, make("label", { for: id }, t(`format_${name}`)), input, copy,
        ...(note ? [make("p", { class: error ? "note wrong" : "note searched" }, note)] : []))];
    }));
  }

  async save(format) {
    try {
      const picture = await file("/api/picture", { ...this.game.asked(), format });
      const link = make("a", { href: URL.createObjectURL(picture), download: `kulami.${format}` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
      by("export-note").textContent = t("saved", { name: `kulami.${format}` });
    } catch (error) {
      by("export-note").textContent = error.message;
    }
  }
}
