// The values of positions: asked for, kept, shown. The game knows what the numbers mean:
// `kind.judged` puts the server's answer into words and marks.
//
//   { words, exact, lower, upper, line: [moves], note, best: [moves], searched,
//     moves: Map of each move to { kind: win | draw | loss | open, lines, text, spoken, value, data } }

import { by, make, mark } from "./dom.js";
import { stream } from "./server.js";
import { decimal, remember, remembered, say, t } from "./texts.js";

const SECONDS = 10; // of a search
const LONGER = 6; // times as long it goes on
const KEPT = 600;

const within = (value) => Math.max(-1, Math.min(1, value));

function write(role, ...said) {
  const element = document.querySelector(`[data-role=${role}]`);
  const text = said.map((part) => part.textContent ?? part).join("");
  if (element.textContent !== text) element.replaceChildren(...said);
  return element;
}

export class Values {
  constructor(table) {
    Object.assign(this, { table, kind: table.kind, board: table.board });
    this.known = new Map(); // the last answer to each question
    this.judged = null;
    this.most = SECONDS; // the server's limit, once its options are known
    this.set(remembered("values") !== "off");
    by("values").addEventListener("click", () => this.choose());
    by("go-on").addEventListener("click", () => this.searchLonger());
    by("follow").addEventListener("click", () => this.follow(0));
    document.querySelector("[data-role=line]").addEventListener("click", ({ target }) => {
      if (target.dataset.step) this.follow(Number(target.dataset.step));
    });
  }

  // Searches the same position for longer, as far as the server allows.
  searchLonger() {
    const longer = Math.min(LONGER * this.seconds, this.most);
    this.update(this.view, this.asked, longer);
    this.table.board.focus();
  }

  // The reader's choice is kept for later visits; hiding values for a game with a bot is not.
  choose(on = !this.on) {
    remember("values", on ? "on" : "off");
    say(t(on ? "searching" : "values_hidden"));
    this.toggle(on);
  }

  toggle(on) {
    this.set(on);
    this.table.keep();
    this.again();
  }

  set(on) {
    this.on = on;
    by("values").setAttribute("aria-checked", on);
    by("value-card").hidden = !on;
  }

  again() {
    if (!this.view) return;
    this.update(this.view, this.asked);
    this.table.opponent.update(this.view);
  }

  key(asked) {
    return JSON.stringify({ ...asked, ...this.kind.question });
  }

  // The known answer about a position.
  of(asked) {
    return this.known.get(this.key(asked)) ?? null;
  }

  // Keeps an answer; an exact one is replaced only by an exact one.
  keep(key, told, done) {
    if (this.known.get(key)?.done && !done) return;
    this.known.delete(key);
    this.known.set(key, { told, done });
    if (this.known.size > KEPT) this.known.delete(this.known.keys().next().value);
  }

  // Goes to a position; `asked` is the question to the server about it.
  async update(view, asked, seconds = SECONDS) {
    Object.assign(this, { view, asked, seconds, aloud: true, judged: null, told: null });
    this.search?.abort();
    this.table.learned(null);
    if (view.over && this.on) this.weigh(this.kind.margin(view), this.kind.margin(view), view.seats[0]);
    else if (!this.on || !view.legal) this.weigh();
    if (!this.on) return this.tell(t("values_hidden"));
    if (view.over) return this.tell(this.kind.result(view), true);
    if (!view.legal) return this.tell(t("hand_hidden", { side: t(view.turn) }));
    const key = this.key(asked);
    const kept = this.known.get(key);
    if (kept) this.show(kept.told, kept.done);
    if (kept?.done) return undefined;
    const search = new AbortController();
    this.search = search;
    if (!kept) this.tell(t("searching"));
    try {
      await stream(`/api/${this.kind.name}/analyse`, { ...asked, ...this.kind.question, time: seconds }, (event, told) => {
        if (event === "waiting") {
          if (!this.told) this.tell(t("ahead", { count: told }));
          return;
        }
        const done = event === "solution";
        if (!done && this.told && told.upper - told.lower > this.told.upper - this.told.lower) return; // a longer search begins anew
        this.keep(key, told, done && this.kind.judged(told, view).exact);
        this.show(told, done);
      }, search.signal);
      by("go-on").hidden = this.judged?.exact !== false || seconds >= this.most || search.signal.aborted;
    } catch (error) {
      if (search.signal.aborted) return undefined;
      this.tell(error.message);
      if (!error.status && !by("field-wrong").firstElementChild) this.table.complain(error.message, () => this.table.refresh());
    }
    return undefined;
  }

  tell(text, exact = false, line = ["\u00a0"], searched = "\u00a0") {
    mark(write("value", text), "data-exact", exact);
    write("line", ...line);
    write("searched", searched);
    by("follow").hidden = !line.some((part) => part.dataset);
    by("go-on").hidden = true;
  }

  // Draws who is ahead, from the bounds of the value for `side`, or from the chance that it wins: the
  // first seat has its share of the bar from below, striped as long as it is an estimate.
  weigh(lower, upper, side, chance) {
    const { seats } = this.view;
    const proved = lower !== undefined && within(lower) === within(upper);
    const share = proved ? (1 + within(lower)) / 2 : chance;
    const shown = share !== undefined && seats.length === 2;
    const bar = by("bar");
    bar.hidden = !shown;
    by("bar-words").textContent = shown ? t("bar_words", { side: t(seats[0]) }) : "";
    if (!shown) return;
    [bar.dataset.below, bar.dataset.above] = seats;
    bar.style.setProperty("--share", `${100 * (side === seats[0] ? share : 1 - share)}%`);
    mark(bar, "data-proved", proved);
  }

  show(told, done) {
    this.told = told;
    const judged = this.kind.judged(told, this.view);
    if (judged.guess && !done) judged.best = []; // what looks best may change until the search ends
    this.judged = judged;
    this.weigh(judged.lower, judged.upper, this.view.turn, judged.chance);
    if (judged.chances) by("bar-words").append(` ${judged.chances}`);
    this.tell(judged.words, judged.exact, this.leads(), judged.searched ?? searchedWords(told, done, judged.exact));
    if (done) {
      if (this.aloud) say(judged.words);
      this.aloud = false;
    }
    this.table.learned(judged);
  }

  // The best line of the position, in words. Each of its moves can be gone to.
  leads() {
    const { note, line } = this.judged;
    if (note || !line.length) return [note ?? "\u00a0"];
    const [before, after] = t("best_line", { line: "\n" }).split("\n");
    return [before, ...line.flatMap((move, step) => [step ? " " : "", make("span", { "data-step": step }, move)]), after];
  }

  // Puts the best line on the board, up to one of its moves; from there undo and redo step through it.
  follow(step) {
    const { game } = this.table;
    if (this.judged && !this.table.due) game.follow([...game.moves.slice(0, game.ply), ...this.judged.line], game.ply + step + 1);
  }

  // The best move that is known, or guessed; null if there is none.
  get best() {
    return this.judged?.best[0] ?? null;
  }
}

// The source of a value or the size of its search, in words.
function searchedWords(told, done, exact) {
  if (told.source === "database") return t("from_database");
  if (told.source === "proof") return t("from_proof");
  return t(done ? (exact ? "proved_in" : "stopped_after") : "searching_for", {
    nodes: told.nodes.toLocaleString(document.documentElement.lang),
    seconds: decimal(told.seconds, told.seconds < 1 ? 3 : 1),
  });
}
