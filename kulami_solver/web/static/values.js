// What positions are worth, as far as it is known: asked for, kept, shown. What the numbers mean is
// the game's: `kind.judged` puts what the server tells into words and marks.
//
//   { words, exact, lower, upper, line: [moves], note, best: [moves], searched(done),
//     moves: Map of each move to { kind: win | draw | loss | open, lines, text, spoken, value, data } }

import { by, mark } from "./dom.js";
import { ask, stream } from "./server.js";
import { remember, remembered, say, t } from "./texts.js";

const SECONDS = 10; // until it is known what may be chosen
const HOVER_SECONDS = 2;
const HOVER_AFTER = 120; // milliseconds
const KEPT = 600;

const part = (role) => document.querySelector(`[data-role=${role}]`);

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export class Values {
  // `learned(judged)` is called with what is known of the position on the board, or null;
  // `board.follow(line)`, where a board has that, shows where a line leads.
  constructor(kind, board, { learned, failed }) {
    Object.assign(this, { kind, board, learned, failed });
    this.on = remembered("values") !== "off";
    this.known = new Map(); // by what was asked: the last that was told
    this.lines = new Map(); // by what was asked: where it leads
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

  key(asked, question = this.kind.questions()[0]) {
    return JSON.stringify({ ...asked, ...question });
  }

  // What is known of a position by what would be asked about it.
  of(asked) {
    const found = this.kind.questions().map((question) => this.known.get(this.key(asked, question)));
    return found.find(Boolean) ?? null;
  }

  // Keeps what was told; what is known exactly stays.
  keep(key, told, done) {
    if (this.known.get(key)?.done && !done) return;
    this.known.delete(key);
    this.known.set(key, { told, done });
    if (this.known.size > KEPT) this.known.delete(this.known.keys().next().value);
  }

  // Turns to a position, which the server is asked about in these words.
  async update(view, asked) {
    Object.assign(this, { view, asked, aloud: true, guess: null, judged: null, told: null });
    this.search?.abort();
    this.hover(null);
    this.learned(null);
    if (!this.on) return this.tell(t("values_hidden"));
    if (view.over) return this.tell(this.kind.result(view), true);
    if (!view.legal) return this.tell(t("hand_hidden", { side: t(view.turn) }));
    const [question] = this.kind.questions();
    const key = this.key(asked, question);
    const kept = this.known.get(key);
    if (kept) this.show(kept.told, kept.done);
    if (kept?.done) return undefined;
    const search = new AbortController();
    this.search = search;
    if (!kept) this.tell(t("searching"));
    try {
      const time = Number(by("seconds").value) || SECONDS;
      await stream(`/api/${this.kind.name}/analyse`, { ...asked, ...question, time }, (event, told) => {
        if (search.signal.aborted) return;
        const done = event === "solution";
        this.keep(key, told, done && this.kind.judged(told, view).exact);
        this.show(told, done);
      }, search.signal);
      if (this.kind.advice && !this.judged?.exact && !search.signal.aborted) await this.advise(search);
    } catch (error) {
      if (search.signal.aborted) return undefined;
      this.tell(error.message);
      if (!error.status) this.failed(error.message);
    }
    return undefined;
  }

  // Where nothing is proved, a bot says what it would do: a guess, and called one.
  async advise(search) {
    const told = await ask(`/api/${this.kind.name}/move`, { ...this.asked, ...this.kind.advice }, search.signal);
    if (search.signal.aborted) return;
    this.guess = told.move;
    this.show(this.told, true);
  }

  tell(text, exact = false, line = "\u00a0", searched = "\u00a0") {
    write(part("value"), text);
    mark(part("value"), "data-exact", exact);
    write(part("line"), line);
    write(part("searched"), searched);
  }

  show(told, done) {
    this.told = told;
    const judged = { ...this.kind.judged(told, this.view), marked: this.guess };
    if (this.guess) judged.line = [this.guess];
    this.judged = judged;
    this.tell(judged.words, judged.exact, this.leads(), judged.searched(done));
    if (done) {
      if (this.aloud) say(judged.words);
      this.aloud = false;
    }
    this.learned(judged);
  }

  // Where the position leads, in words.
  leads() {
    const { judged } = this;
    if (this.guess) return t("advice", { field: this.guess });
    return judged.note ?? (judged.line.length ? t("best_line", { line: judged.line.join(" ") }) : "\u00a0");
  }

  // The best move that is known, or guessed; null if there is none.
  get best() {
    return this.guess ?? this.judged?.best[0] ?? null;
  }

  // Shows where a move leads while the mouse or the focus rests on it.
  hover(move) {
    clearTimeout(this.waiting);
    this.preview?.abort();
    const { judged } = this;
    if (!judged) return undefined;
    const one = judged.moves.get(move);
    if (one?.value === undefined) {
      this.board.follow?.(judged.line);
      write(part("line"), this.leads());
      return undefined;
    }
    const asked = { ...this.asked, moves: [...this.asked.moves, move] };
    const key = this.key(asked);
    const tell = (line) => {
      this.lines.set(key, line);
      this.board.follow?.([move, ...line]);
      write(part("line"), t("leads_to", { field: move, margin: one.text, line: line.join(" ") }));
    };
    if (move === judged.line[0] && judged.exact) return tell(judged.line.slice(1));
    if (this.lines.has(key)) return tell(this.lines.get(key));
    this.waiting = setTimeout(async () => {
      const preview = new AbortController();
      this.preview = preview;
      try {
        await stream(`/api/${this.kind.name}/analyse`, { ...asked, time: HOVER_SECONDS }, (kind, told) => {
          if (kind === "solution" && !preview.signal.aborted) tell(told.line);
        }, preview.signal);
      } catch {
        // The mouse has moved on, or the server has its hands full: there is nothing to show.
      }
    }, HOVER_AFTER);
    return undefined;
  }
}

// How much was looked at, in words.
export function searchedWords(told, done, exact) {
  if (told.source === "database") return t("from_database");
  return t(done ? (exact ? "proved_in" : "stopped_after") : "searching_for", {
    nodes: told.nodes.toLocaleString(document.documentElement.lang),
    seconds: told.seconds.toFixed(told.seconds < 1 ? 3 : 1),
  });
}
