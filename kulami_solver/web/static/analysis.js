// Searching the position on the board: what is proved of it, shown as it is proved.

import { by, mark } from "./dom.js";
import { ask, stream } from "./server.js";
import { remember, remembered, say, signed, t, valueWords } from "./texts.js";
import { showLine, showValues } from "./values.js";

const SECONDS = 10; // until it is known what may be chosen
const HOVER_SECONDS = 2;
const HOVER_AFTER = 120; // milliseconds
const ADVICE = { bot: "perfect", time: 2 };
const KEPT = 600;

export class Analysis {
  // `learned()` is called whenever something new is known of a position of the game.
  constructor(game, board, learned) {
    this.game = game;
    this.board = board;
    this.learned = learned;
    this.on = remembered("values") !== "off";
    this.known = new Map(); // by position, scoring and goal: the last solution told
    this.lines = new Map(); // by a move's position likewise: where it leads
    this.search = null;
    this.goal = by("goal");
    this.seconds = by("seconds");
    by("values").setAttribute("aria-checked", this.on);
    by("values").addEventListener("click", () => this.choose());
    this.goal.addEventListener("change", () => this.update(this.view));
    this.seconds.addEventListener("change", () => this.update(this.view));
  }

  key(kfn, goal = this.goal.value) {
    return [kfn, this.game.scoring, goal, this.game.start.marbles ?? 28, this.game.start.short_end ?? false].join("|");
  }

  // What is known of the position after so many moves: its margin if it can be had.
  of(ply) {
    const kfn = this.game.kfns[ply];
    if (!kfn) return null;
    return this.known.get(this.key(kfn, "margin")) ?? this.known.get(this.key(kfn, "outcome")) ?? null;
  }

  keep(solution) {
    const key = this.key(solution.kfn, solution.goal);
    const before = this.known.get(key);
    if (before?.exact && !solution.exact) return;
    this.known.delete(key);
    this.known.set(key, solution);
    if (this.known.size > KEPT) this.known.delete(this.known.keys().next().value);
  }

  // What the reader chooses holds for later visits, too; hiding them from who plays a bot does not.
  choose(on = !this.on) {
    remember("values", on ? "on" : "off");
    this.toggle(on);
  }

  toggle(on) {
    this.on = on;
    by("values").setAttribute("aria-checked", on);
    if (this.view) this.update(this.view);
  }

  // Turns to the position now on the board.
  async update(view) {
    this.view = view;
    this.aloud = true;
    this.search?.abort();
    this.solution = null;
    this.guess = null;
    this.hover(null);
    this.board.show(view);
    if (!this.on) return this.tell(t("values_hidden"));
    if (view.over) {
      const margin = (view.score.red - view.score.black) * (view.turn === "red" ? 1 : -1);
      return this.tell(valueWords(margin, margin, view.turn), true);
    }
    const kept = this.known.get(this.key(view.kfn));
    if (kept) this.show(kept, kept.exact);
    if (kept?.exact) return undefined;
    const search = new AbortController();
    this.search = search;
    const asked = { ...this.game.asked(), all: true, goal: this.goal.value, time: Number(this.seconds.value) || SECONDS };
    try {
      if (!kept) this.tell(t("searching"));
      await stream("/api/analyse", asked, (kind, solution) => {
        if (search.signal.aborted) return;
        this.keep(solution);
        this.show(solution, kind === "solution");
      }, search.signal);
      if (!this.solution?.exact && !search.signal.aborted) await this.advise(search);
    } catch (error) {
      if (!search.signal.aborted) by("values").closest(".card").querySelector("[data-role=line]").textContent = error.message;
    }
    return undefined;
  }

  // Where nothing is proved, a bot says what it would do: a guess, and called one.
  async advise(search) {
    const told = await ask("/api/move", { ...this.game.asked(), ...ADVICE }, search.signal);
    if (search.signal.aborted) return;
    this.guess = told.field;
    this.show(this.solution, true);
  }

  // Says something else than what a search has found.
  tell(text, exact = false) {
    const value = document.querySelector("[data-role=value]");
    value.textContent = text;
    mark(value, "data-exact", exact);
    document.querySelector("[data-role=line]").textContent = "\u00a0";
    document.querySelector("[data-role=searched]").textContent = "\u00a0";
    this.learned();
  }

  show(solution, done) {
    this.solution = solution;
    this.done = done;
    const { view } = this;
    const value = document.querySelector("[data-role=value]");
    const words = valueWords(solution.lower, solution.upper, view.turn, solution.goal);
    if (value.textContent !== words) value.textContent = words;
    mark(value, "data-exact", solution.exact);
    this.tellLine();
    document.querySelector("[data-role=searched]").textContent = t(
      solution.source === "database" ? "from_database" : done ? (solution.exact ? "proved_in" : "stopped_after") : "searching_for",
      { nodes: solution.nodes.toLocaleString(document.documentElement.lang), seconds: solution.seconds.toFixed(solution.seconds < 1 ? 3 : 1) },
    );
    if (solution.moves.length) showValues(this.board, solution, { guess: this.guess });
    if (!this.hovering) showLine(this.board, this.line());
    if (done) {
      if (this.aloud) say(words);
      this.aloud = false;
    }
    this.learned();
  }

  line() {
    if (this.guess) return [this.guess];
    return this.solution?.exact ? this.solution.line : [];
  }

  tellLine() {
    const said = document.querySelector("[data-role=line]");
    const line = this.line();
    const text = this.guess ? t("advice", { field: this.guess }) : line.length ? t("best_line", { line: line.join(" ") }) : "\u00a0";
    if (said.textContent !== text) said.textContent = text;
  }

  // The best move that is known, or guessed; null if there is none.
  best() {
    return this.guess ?? (this.solution?.exact ? this.solution.best : null);
  }

  // Shows where a field leads while the mouse or the focus rests on it.
  hover(name) {
    clearTimeout(this.waiting);
    this.preview?.abort();
    this.hovering = null;
    if (!this.solution) return;
    const move = this.solution.moves.find((one) => one.field === name);
    if (!move || move.margin === null) {
      if (this.board.arrows.childElementCount || this.solution.exact) showLine(this.board, this.line());
      this.tellLine();
      return;
    }
    this.hovering = name;
    const asked = this.game.asked(this.game.ply, name);
    const key = this.key(asked.moves.join(" ") + (asked.kfn ?? asked.layout));
    const tell = (line) => {
      this.lines.set(key, line);
      showLine(this.board, [name, ...line]);
      document.querySelector("[data-role=line]").textContent = t("leads_to", { field: name, margin: signed(move.margin), line: line.join(" ") });
    };
    if (name === this.solution.best) return tell(this.solution.line.slice(1));
    if (this.lines.has(key)) return tell(this.lines.get(key));
    this.waiting = setTimeout(async () => {
      const preview = new AbortController();
      this.preview = preview;
      try {
        await stream("/api/analyse", { ...asked, time: HOVER_SECONDS }, (kind, solution) => {
          if (kind === "solution" && !preview.signal.aborted) tell(solution.line);
        }, preview.signal);
      } catch {
        // The mouse has moved on, or the server has its hands full: there is nothing to show.
      }
    }, HOVER_AFTER);
    return undefined;
  }
}
