// The dialog to begin a game, from options or from a text.

import { by, make } from "./dom.js";
import { takeIn, textOf } from "./exchange.js";
import { ask } from "./server.js";
import { learnSentences, t } from "./texts.js";

export class Beginning {
  constructor(table) {
    this.table = table;
    this.dialog = by("begin");
    by("beginning").addEventListener("submit", (event) => {
      event.preventDefault();
      this.use();
    });
  }

  async show(text = null) {
    await learnSentences();
    const { kind, view, game } = this.table;
    const start = { ...kind.begin(), ...kind.usual, ...game.start };
    this.inputs = Object.fromEntries(kind.form.map((part) => [part.name, this.input(part, start[part.name])]));
    this.text = make("textarea", { id: "position-text", rows: 2, spellcheck: "false", "aria-describedby": "begin-wrong" });
    this.text.value = text ?? game.start[kind.notation] ?? "";
    this.text.placeholder = view?.notation ?? "";
    this.wrong = make("p", { id: "begin-wrong", class: "wrong", role: "status" });
    const takeUp = () => {
      this.text.value = view.notation;
      this.text.select();
    };
    const now = make("button", { type: "button", id: "position-now", disabled: !view?.notation, click: takeUp }, t("from_board"));
    by("beginning").replaceChildren(
      make("div", { class: "row" }, ...kind.form.map((part) => this.labelled(part))),
      make("label", { class: "wide" }, make("span", {}, t(kind.recorded ? "position_or_game" : "position_text", { notation: kind.notation.toUpperCase() })), this.text),
      this.wrong,
      make("div", { class: "row" }, make("button", { class: "main", id: "begin-start" }, t("start")), now),
    );
    if (!this.dialog.open) this.dialog.showModal();
  }

  input({ name, offered, check, typed, least, most, label = (value) => value }, value) {
    const id = `begin-${name}`;
    if (offered) {
      const all = offered.includes(value) ? offered : [value, ...offered];
      const select = make("select", { id }, ...all.map((one) => make("option", { value: one }, label(one))));
      select.value = value;
      return select;
    }
    const input = make("input", check ? { id, type: "checkbox" } : typed ? { id } : { id, type: "number", min: least, max: most });
    if (check) input.checked = value;
    else input.value = value;
    return input;
  }

  labelled({ name, text, check }) {
    const input = this.inputs[name];
    const words = make("span", {}, t(text));
    return check ? make("label", { class: "check" }, input, words) : make("label", {}, words, input);
  }

  // The chosen options; with a position as text, only the options that it leaves open.
  chosen() {
    const { kind } = this.table;
    const start = {};
    const text = this.text.value.trim();
    if (text) start[kind.notation] = text;
    for (const { name, offered, check, typed } of kind.form) {
      const input = this.inputs[name];
      if (text && !(kind.kept ?? []).includes(name)) continue;
      start[name] = check ? input.checked : offered || typed ? input.value : Number(input.value);
    }
    return start;
  }

  async use() {
    const start = this.chosen();
    try {
      if (await takeIn(this.text.value, this.table)) return this.dialog.close();
      await ask(`/api/${this.table.kind.name}/position`, { ...start, moves: [] });
    } catch (error) {
      this.wrong.textContent = error.message;
      return undefined;
    }
    this.dialog.close();
    return this.table.game.replace({ start });
  }

  // Takes a text that was pasted or dropped anywhere on the page: a link, a record or a position. While
  // a game is under way, the reader is asked first.
  async receive({ text, dropped }) {
    const found = text ?? (await textOf(dropped.slice(0, 1 << 18)));
    if (this.table.isUnderWay) {
      await this.show(found.trim());
      return by("begin-start").focus();
    }
    try {
      if (await takeIn(found, this.table)) return this.dialog.close();
    } catch (error) {
      return this.table.complain(error.message);
    }
    await this.show(found.trim().split("\n")[0]);
    return this.use();
  }
}
