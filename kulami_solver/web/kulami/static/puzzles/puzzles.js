// Puzzles: positions in which one field alone is best, on a page of their own, puzzles/kulami/.
//
//   #17                   the address of a puzzle
//   /api/kulami/puzzles   the scoring and the difficulty of each
//   /api/kulami/puzzle    one of them, with its solution
//
// A wrong field is refuted: the server solves the position after it, and the line is played out on
// the board. The browser keeps the reader's results under "puzzles", and with them the reader's level:
//
//   0                     at first; puzzles of about this difficulty come next
//   right                 it rises by 4, at most to 4 above the puzzle's difficulty
//   wrong                 it falls by 8, at most to 8 below that: about two of three are solved
//   skipped               it stays: the reader may not have tried. After a hint the reader has, and
//                         the puzzle was too hard

import { allow, by, make, mark } from "../../dom.js";
import { USUAL } from "../../record.js";
import { ask, stream, tried } from "../../server.js";
import { chooseLanguage, installTheme, recalled, remember, say, t } from "../../texts.js";
import { game as own } from "../game.js";

const game = { ...USUAL, ...own };
const BANDS = ["easy", "medium", "hard", "hardest"]; // of 25 steps of difficulty each
const STEPS = { up: 4, down: 8 }; // of the reader's level
const CHOICE = 10; // so many puzzles of about the reader's level may come next
const SCORINGS = ["0", "1", "2", "chains"];
const BETWEEN = 900; // milliseconds between the moves of a line, at most
const WHOLE = 5000; // milliseconds for the whole line, at most
const SECONDS = 20; // for a refutation

// The results of earlier visits, if the browser has kept them.
function read() {
  const fresh = { solved: [], streak: 0, longest: 0, level: 0 };
  return { ...fresh, ...recalled("puzzles", (kept) => Array.isArray(kept.solved) && Number.isFinite(kept.level ?? 0)) };
}

class Puzzles {
  // `listed` has the scoring and the difficulty of each puzzle, in their order.
  constructor(listed) {
    Object.assign(this, { listed, kept: read(), lost: false, puzzle: null, said: null });
    this.board = game.makeBoard(by("board"), {
      named: game.named,
      refuse: (text) => this.refuse(text),
      choose: (field) => this.answer(field),
    });
    const listen = (id, act) => by(id).addEventListener("click", act);
    listen("hint", () => this.hint());
    listen("solution", () => this.giveUp());
    listen("again", () => this.again());
    listen("next", () => {
      this.refuse("");
      this.next();
    });
    listen("to-start", () => this.step(0));
    listen("undo", () => this.step(this.ply - 1));
    listen("redo", () => this.step(this.ply + 1));
    addEventListener("hashchange", () => this.open(this.named));
  }

  // The number that the address names; null if it names none.
  get named() {
    const number = Number(location.hash.slice(1));
    return Number.isInteger(number) && number >= 1 && number <= this.listed.difficulty.length ? number : null;
  }

  // The numbers of the puzzles with the chosen difficulty and scoring, except the one on the board: if
  // possible those that are not solved yet, and the nearest to the reader's level if that is chosen.
  wanted() {
    const { listed: { difficulty, scoring }, kept: { level, solved } } = this;
    const [band, counted] = [by("band").value, by("counted").value];
    const others = difficulty.map((_, place) => place + 1).filter((number) => (
      number !== this.puzzle?.number
      && (band === "" || Math.min(Math.floor(difficulty[number - 1] / 25), 3) === Number(band))
      && (counted === "" || scoring[number - 1] === counted)));
    const fresh = others.filter((number) => !solved.includes(number));
    const found = fresh.length ? fresh : others;
    const far = (number) => Math.abs(difficulty[number - 1] - level);
    return band === "" ? found.sort((one, other) => far(one) - far(other)).slice(0, CHOICE) : found;
  }

  begin() {
    const option = (value, text) => make("option", { value }, text);
    const chosen = [by("band").value, by("counted").value];
    by("band").replaceChildren(option("", t("band_own")), ...BANDS.map((name, place) => option(place, t(`band_${name}`))));
    by("counted").replaceChildren(option("", t("any")), ...SCORINGS.map((name) => option(name, t(`scoring_${name}`))));
    [by("band").value, by("counted").value] = chosen;
    if (this.puzzle) this.show();
    else this.open(this.named);
  }

  // Goes to another puzzle of the chosen kind.
  next() {
    if (this.puzzle && !this.counted) this.count(false, { tried: this.hints > 0 });
    const from = this.wanted();
    if (!from.length) return;
    const number = from[Math.floor(Math.random() * from.length)];
    // The browser's Back would come back to an address without a number, and go on from it again.
    if (this.named) location.hash = number;
    else location.replace(`#${number}`);
  }

  async open(number) {
    if (!number) {
      const misnamed = location.hash.length > 1;
      this.next();
      if (misnamed) this.refuse(t("no_such_puzzle", { count: this.listed.difficulty.length }));
      return undefined;
    }
    this.stop();
    const puzzle = await tried(() => ask("/api/kulami/puzzle", { number }), by("refused"));
    if (!puzzle) return undefined;
    this.puzzle = puzzle;
    Object.assign(this, { counted: false, done: false, hints: 0, said: null });
    this.take([]);
    await this.build();
    return undefined;
  }

  // Draws the board, and the first position of the puzzle.
  async build() {
    const { puzzle } = this;
    const wood = await game.wood({ start: { kfn: puzzle.kfn } });
    if (puzzle !== this.puzzle) return;
    if (this.wood !== wood) this.board.build(wood, t("board"));
    this.wood = wood;
    await this.step(0);
    say(["title", "task"].map((id) => by(id).textContent).join(". "));
  }

  // Line

  take(line) {
    Object.assign(this, { line, ply: 0, views: [] });
  }

  stop() {
    clearTimeout(this.timer);
    this.refuting?.abort();
  }

  // Shows the position after `ply` moves of the line.
  async step(ply, keepOn = false) {
    if (!keepOn) clearTimeout(this.timer);
    const { puzzle, line, views } = this;
    const { kfn, scoring } = puzzle;
    this.ply = Math.max(0, Math.min(ply, line.length));
    const shown = this.ply;
    try {
      views[shown] ??= ask("/api/kulami/position", { kfn, scoring, moves: line.slice(0, shown) });
      const view = await views[shown];
      if (line !== this.line || shown !== this.ply) return;
      this.view = view;
      this.board.show(view);
      this.show();
    } catch (error) {
      views.length = 0;
      this.refuse(error.message);
    }
  }

  // Plays a line out on the board, move by move.
  playOut(line) {
    this.take(line);
    const between = Math.min(BETWEEN, WHOLE / line.length);
    const on = async () => {
      await this.step(this.ply + 1, true);
      if (this.line === line && this.ply < line.length) this.timer = setTimeout(on, between);
    };
    on();
  }

  // Answers

  get isOpen() {
    return !this.done && this.ply === 0 && !this.refuting;
  }

  async answer(field) {
    this.refuse("");
    if (!this.isOpen) return;
    const { puzzle, view } = this;
    if (!view.legal.includes(field)) {
      try {
        await ask("/api/kulami/position", { kfn: puzzle.kfn, scoring: puzzle.scoring, moves: [field] });
      } catch (error) {
        this.refuse(error.reason);
      }
      return;
    }
    if (field === puzzle.best) {
      this.count(true);
      this.done = true;
      this.say("right", () => t("right", { field, value: this.value(puzzle.value) }));
      this.playOut(puzzle.line);
    } else {
      this.count(false);
      await this.refute(field);
    }
  }

  // Asks the server for the value of a wrong field, and plays out the line.
  async refute(field) {
    const { puzzle } = this;
    const refuting = new AbortController();
    this.refuting = refuting;
    this.say("no", () => t("wrong", { field }));
    const asked = { kfn: puzzle.kfn, scoring: puzzle.scoring, moves: [field], time: SECONDS };
    let found = null;
    try {
      await stream("/api/kulami/analyse", asked, (event, told) => {
        if (event === "solution") found = told;
      }, refuting.signal);
    } catch (error) {
      if (!refuting.signal.aborted) this.refuse(error.message);
    }
    if (refuting.signal.aborted) return;
    this.refuting = null;
    if (found?.exact) {
      this.say("no", () => t("refuted", { field, value: this.value(-found.margin), best: this.value(puzzle.value) }));
    }
    this.playOut([field, ...(found?.line ?? [])]);
  }

  hint() {
    const { puzzle } = this;
    this.hints += 1;
    const column = puzzle.best[0];
    this.say("hint", () => (this.hints > 1 ? t("hint_column", { column }) : t(`theme_${puzzle.theme}`, { value: this.value(puzzle.value) })));
  }

  giveUp() {
    const { puzzle } = this;
    this.stop();
    this.refuting = null;
    this.count(false);
    this.done = true;
    this.say("shown", () => t("shown", { field: puzzle.best, value: this.value(puzzle.value) }));
    this.playOut(puzzle.line);
  }

  again() {
    this.stop();
    this.refuting = null;
    this.said = null;
    this.take([]);
    this.step(0);
  }

  // Counts the first answer to a puzzle. One that is skipped ends the streak, which otherwise would
  // count the easy ones that somebody picks.
  count(right, { tried = true } = {}) {
    if (this.counted) return;
    this.counted = true;
    const { puzzle: { number, difficulty } } = this;
    if (!this.lost) this.kept = read(); // another tab may have counted, too
    const { kept } = this;
    kept.streak = right ? kept.streak + 1 : 0;
    kept.longest = Math.max(kept.longest, kept.streak);
    const { level } = kept;
    if (right) kept.level = Math.max(level, Math.min(level, difficulty) + STEPS.up);
    else if (tried) kept.level = Math.min(level, Math.max(level, difficulty) - STEPS.down);
    if (right && !kept.solved.includes(number)) kept.solved.push(number);
    this.lost = !remember("puzzles", JSON.stringify(kept));
  }

  // Words

  // A margin for the side to move in the puzzle, in words.
  value(margin) {
    const turn = this.puzzle.kfn.split(" ")[2] === "r" ? 1 : -1;
    return game.result({ score: { red: turn * margin, black: 0 } });
  }

  refuse(text) {
    by("refused").textContent = text;
  }

  // `words` is a function, because the language may change.
  say(kind, words) {
    this.said = { kind, words };
    this.show();
  }

  show() {
    const { puzzle, kept, said, view, line, ply } = this;
    const side = t(puzzle.kfn.split(" ")[2] === "r" ? "red" : "black");
    const band = BANDS[Math.min(Math.floor(puzzle.difficulty / 25), 3)];
    by("title").textContent = t("puzzle_number", { number: puzzle.number });
    document.title = `Kulami: ${t("puzzle_number", { number: puzzle.number })}`;
    by("graded").textContent = `${t(`band_${band}`)} (${puzzle.difficulty})`;
    by("task").textContent = `${t("task", { side })} ${t(`scoring_${puzzle.scoring}`)}.`;
    by("answer").className = `answer ${said?.kind ?? ""}`;
    by("answer").textContent = said?.words() ?? "";
    by("line").replaceChildren(...line.map((field, place) => make(place + 1 === ply ? "b" : "span", {}, `${field} `)));
    const { streak, longest, solved } = kept;
    by("kept").textContent = t("kept", { streak, longest, solved: solved.length, count: this.listed.difficulty.length });
    if (this.lost) by("kept").append(make("br"), t("puzzles_lost"));
    if (this.done && [by("hint"), by("solution")].includes(document.activeElement)) by("next").focus();
    by("hint").hidden = by("solution").hidden = this.done;
    by("again").hidden = this.done || !line.length;
    allow([by("undo"), ply > 0], [by("redo"), ply < line.length], [by("to-start"), ply > 0]);
    by("analyse").href = `../../#kfn=${encodeURIComponent(puzzle.kfn)}&scoring=${puzzle.scoring}`;
    mark(by("board"), "data-waiting", !this.isOpen);
    if (view) document.querySelector("[data-role=status]").textContent = game.status(view);
  }
}

async function main() {
  installTheme();
  let puzzles = null;
  const listed = ask("/api/kulami/puzzles");
  await chooseLanguage(["texts", "kulami/texts", "kulami/puzzles/texts"], () => tried(async () => {
    puzzles ??= new Puzzles(await listed);
    puzzles.begin();
  }, by("refused")));
}

main();
