// Guess the moves: the reader goes through a graded game again and guesses its moves, which are
// hidden. The value of each guess is compared with that of the move in the game.
//
//   question    values are hidden, and the list of moves ends at the position on the board
//   answer      a move has been guessed: values are shown until the next question

import { by, make, mark } from "./dom.js";
import { grade, stop } from "./grading.js";
import { keepGuesses } from "./guesses.js";
import { kindOf } from "./marks.js";
import { coming } from "./server.js";
import { capital, learnSentences, say, sentence, t } from "./texts.js";

const said = (code, values = {}) => sentence({ code, values });

export class Guessing {
  constructor(moves) {
    Object.assign(this, { moves, table: moves.table, game: moves.game, ply: 0, guessed: null });
    this.score = { guessed: 0, best: 0, lost: 0, game_best: 0, game_lost: 0 };
    this.values = this.table.values.on; // whether values are shown afterwards
    this.host = by("guessing");
    this.leave = ({ type }) => {
      if (type === "replace" || this.game.ply !== this.ply - 1 || !this.graded()) this.end();
    };
  }

  // The server's verdict on a move, with the values of all moves in its place.
  graded(ply = this.ply) {
    return this.moves.graded.get(this.moves.key(this.game.moves.slice(0, ply)));
  }

  // Begins, or goes on with guesses that are kept.
  async begin(kept = {}) {
    const { moves, table, game, game: { moves: line } } = this;
    this.host.replaceChildren();
    if (table.kind.hides) table.openHands(true);
    if (!this.graded(line.length) && !await grade(moves)) return;
    if (moves.grading) stop(moves); // estimates do not help to judge a guess
    await coming(learnSentences({ english: true }));
    if (game.moves !== line || table.guessing) return;
    this.plies = line.map((_, index) => index + 1).filter((ply) => Object.keys(this.graded(ply)?.values ?? {}).length > 1);
    if (!this.plies.length) {
      this.host.replaceChildren(make("p", {}, t("no_guess")));
      return;
    }
    table.guessing = this;
    table.notice(); // a notice would cover the questions
    mark(document.body, "data-guessing", true);
    this.side = make("select", { id: "guess-side" });
    this.draw();
    const { score = this.score, values = this.values, ply = 0, side = "" } = kept;
    Object.assign(this, { score, values, ply });
    this.side.value = side;
    this.next();
    for (const type of ["replace", "change"]) game.addEventListener(type, this.leave);
  }

  // Goes to the next move of the chosen side, or ends.
  next() {
    const { game, table } = this;
    const side = this.side.value;
    this.ply = this.plies.find((ply) => ply > this.ply && (!side || game.mover(ply - 1) === side)) ?? 0;
    if (!this.ply) return this.end();
    this.guessed = null;
    table.values.toggle(false);
    game.go(this.ply - 1);
    this.moves.update();
    this.draw();
    this.keep();
    say(this.lines[0]);
    return table.board.focus();
  }

  guess(move) {
    const { score, game } = this;
    const { values, cost } = this.graded();
    if (this.guessed || values[move] === undefined) return false;
    const lost = Math.max(...Object.values(values)) - values[move];
    this.guessed = { move, lost };
    score.guessed += 1;
    score.best += lost === 0;
    score.lost += lost;
    score.game_best += cost === 0;
    score.game_lost += cost;
    this.table.values.toggle(true);
    this.draw();
    this.keep();
    say(this.lines.join(". "));
    by("guess-next").focus();
    return true;
  }

  // Keeps what `begin` needs to go on with the question, or with the next one.
  keep() {
    const { table: { id }, score, values, side, ply, guessed } = this;
    keepGuesses({ id, score, values, side: side.value, ply: guessed ? ply : ply - 1 });
  }

  // A move and its value for the side that makes it.
  worth(move) {
    const value = this.graded().values[move];
    const { moves: known } = this.moves.at(this.game.moves.slice(0, this.ply - 1), this.game.mover(this.ply - 1));
    const { spoken, text } = known.get(move);
    if (spoken) return { code: "move_outcome", values: { move, outcome: spoken } };
    return { code: "move_by", values: { move, outcome: { code: kindOf(value) }, margin: text } };
  }

  // The sentences to show: the question, or how good the guess was.
  get lines() {
    const { game, ply, guessed } = this;
    if (!guessed) return [said("guess_asked", { ply, count: game.moves.length, side: game.mover(ply - 1) })];
    const { values, cost } = this.graded();
    const played = game.moves[ply - 1];
    const found = [said(guessed.lost ? "guess_wrong" : "guess_right", { worth: this.worth(guessed.move) })];
    found.push(guessed.move === played ? said("guess_same") : said("guess_game", { worth: this.worth(played) }));
    const best = Math.max(...Object.values(values));
    if (guessed.lost && cost) found.push(said("guess_best", { moves: Object.keys(values).filter((move) => values[move] === best) }));
    return found;
  }

  get total() {
    const { lost, game_lost, ...counts } = this.score;
    return said("guesses_ended", { ...counts, lost: this.moves.rounded(lost), game_lost: this.moves.rounded(game_lost) });
  }

  async relabel() {
    await learnSentences({ english: true });
    if (this.table.guessing === this) this.draw();
  }

  draw() {
    const { game, side, side: { value } } = this;
    const button = (id, text, click) => make("button", { type: "button", id, click }, t(text));
    side.replaceChildren(make("option", { value: "" }, capital(t("all_sides"))), ...game.seats.map((seat) => make("option", { value: seat }, capital(t(seat)))));
    side.value = value;
    this.host.replaceChildren(...(this.ply ? this.lines.map((line) => make("p", {}, line)) : []),
      make("div", { class: "row" }, button("guess-next", "next_move", () => this.next()), button("guess-end", "end_guessing", () => this.end()),
        make("label", {}, make("span", {}, t("guess_whose")), side)),
      ...(this.score.guessed ? [make("p", { class: "searched" }, this.total)] : []));
    by("board").scrollIntoView({ block: "nearest" });
  }

  // Ends the guessing: shows all moves again, and the total.
  end() {
    for (const type of ["replace", "change"]) this.game.removeEventListener(type, this.leave);
    this.table.guessing = null;
    keepGuesses(null);
    mark(document.body, "data-guessing", false);
    this.host.replaceChildren(...(this.score.guessed ? [make("p", {}, this.total)] : []));
    say(this.host.textContent);
    this.table.values.toggle(this.values);
    this.moves.update();
    by("guess").focus();
  }
}
