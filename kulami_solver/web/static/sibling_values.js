// What positions of Malawi and Just 4 Fun are worth, as far as it is known: asked for, kept, shown.
// What the numbers mean is the game's: `kind.judged` puts them into words and marks.
//
//   { words, exact, line, best: [moves], moves: Map of each move to
//       { kind: win | draw | loss | open, text, spoken, data: { outcome, plies, ... } } }

import { by, mark } from "./dom.js";
import { stream } from "./server.js";
import { remember, remembered, say, t } from "./texts.js";

const SECONDS = 10; // until it is known what may be chosen
const KEPT = 300;

export class SiblingValues {
  // `learned(judged)` is called with what is known of the position on the board, or null.
  constructor(kind, learned) {
    this.kind = kind;
    this.learned = learned;
    this.on = remembered("values") !== "off";
    this.known = new Map(); // by what was asked: the last that was told
    this.judged = null;
    by("values").setAttribute("aria-checked", this.on);
    by("values").addEventListener("click", () => this.choose());
    by("seconds").addEventListener("change", () => this.again());
  }

  // What the reader chooses holds for later visits, too; hiding them from who plays a bot does not.
  choose(on = !this.on) {
    remember("values", on ? "on" : "off");
    this.toggle(on);
  }

  toggle(on) {
    this.on = on;
    by("values").setAttribute("aria-checked", on);
    this.again();
  }

  again() {
    if (this.view) this.update(this.view, this.asked);
  }

  // What is known of a position by what would be asked about it.
  of(asked) {
    return this.known.get(JSON.stringify(asked)) ?? null;
  }

  keep(asked, told) {
    const key = JSON.stringify(asked);
    this.known.delete(key);
    this.known.set(key, told);
    if (this.known.size > KEPT) this.known.delete(this.known.keys().next().value);
  }

  // Turns to a position, which the server is asked about in these words.
  async update(view, asked) {
    this.view = view;
    this.asked = asked;
    this.search?.abort();
    this.judged = null;
    this.learned(null);
    if (!this.on) return this.tell(t("values_hidden"));
    if (view.over) return this.tell(this.kind.result(view), true);
    if (!view.legal) return this.tell(t("hand_hidden", { side: t(view.turn) }));
    const kept = this.of(asked);
    if (kept) this.show(kept.told, kept.done);
    if (kept?.done) return undefined;
    const search = new AbortController();
    this.search = search;
    if (!kept) this.tell(t("searching"));
    try {
      const time = Number(by("seconds").value) || SECONDS;
      await stream(`/api/${this.kind.name}/analyse`, { ...asked, time }, (event, told) => {
        if (search.signal.aborted) return;
        const done = event === "solution";
        const final = done && this.kind.judged(told, view).exact;
        this.keep(asked, { told, done: final });
        this.show(told, done);
      }, search.signal);
    } catch (error) {
      if (!search.signal.aborted) this.tell(error.message);
    }
    return undefined;
  }

  tell(text, exact = false) {
    const value = document.querySelector("[data-role=value]");
    value.textContent = text;
    mark(value, "data-exact", exact);
    document.querySelector("[data-role=line]").textContent = "\u00a0";
    document.querySelector("[data-role=searched]").textContent = "\u00a0";
  }

  show(told, done) {
    const judged = this.kind.judged(told, this.view);
    this.judged = judged;
    this.tell(judged.words, judged.exact);
    if (judged.line) document.querySelector("[data-role=line]").textContent = judged.line;
    document.querySelector("[data-role=searched]").textContent = judged.searched(done);
    if (done) say(judged.words);
    this.learned(judged);
  }
}

// How much was looked at, in words.
export function searchedWords(told, done, exact) {
  if (told.source === "database") return t("from_database");
  const name = done ? (exact ? "proved_in" : "stopped_after") : "searching_for";
  return t(name, {
    nodes: told.nodes.toLocaleString(document.documentElement.lang),
    seconds: told.seconds.toFixed(told.seconds < 1 ? 3 : 1),
  });
}
