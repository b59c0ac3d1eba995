// The page of a game: each change of the game is sent to the server, and the answer is shown. The
// game's `kind` has its own parts: a board, words, options.

import { allow, by, dress, make, mark } from "./dom.js";
import { Opponent } from "./opponent.js";
import { newId, Record } from "./record.js";
import { ask, coming } from "./server.js";
import { capital, recalled, remember, say, t } from "./texts.js";
import { Values } from "./values.js";

const WINNERS = [1, -1]; // what the margin is worth to the first seat, by the seat that wins

export class Table {
  constructor(kind) {
    this.kind = kind;
    this.game = new Record(kind);
    this.view = null;
    this.asking = 0;
    this.due = null; // a promise, until the board shows the game as it is now
    this.wrong = ""; // the fault of the address
    this.unread = ""; // an address that names no game of the page
    this.address = location.hash; // as it was last read or written here
    this.id = newId(); // of the game, in the browser's list
    this.kept = null; // the entry of the game in that list, where it went on from there
    this.reading = null; // a promise: fulfilled once the entry has been read
    this.coming = new Map(); // what the browser's list of games does not have yet, by id
    this.list = null; // the `Moves`, once they are loaded
    this.parts = {}; // promises of the parts that are loaded when first needed, by name
    this.starting = false; // whether the reader has not chosen a game yet
    this.mended = false; // whether an invalid start has been replaced
    this.all = false; // whether all hands are shown
    this.uncovered = false; // whether the hand of the player to move is shown
    this.board = kind.makeBoard(by("board"), {
      choose: (move) => this.choose(move),
      refuse: (text) => this.complain(text),
      picked: (moves) => this.offer(moves),
      announce: say,
      uncover: () => this.uncover(),
      uncovers: () => this.opponent.people.length !== 1,
      named: kind.named,
    });
    this.values = new Values(this);
    this.opponent = new Opponent(this);
    this.actions = {
      best: () => this.best(),
      values: () => this.values.choose(),
      undo: () => this.game.go(this.opponent.next(-1)),
      redo: async () => (await this.moves()).goOn(this.opponent.next(1)),
      toStart: () => this.game.go(0),
      toEnd: async () => (await this.moves()).goOn(Infinity),
      mistake: async (way) => (await this.moves()).mistake(way),
      variation: async (way) => (await this.moves()).variation(way),
      comment: async () => (await this.moves()).lines.focus(),
      board: () => this.board.focus(),
      hear: async (...what) => say(await (await coming(import("./ears.js"))).told(this, ...what)),
      setup: async () => (await this.setup()).show(),
      share: async () => (await this.part("share", () => coming(import("./exchange.js")))).share(this),
      games: async () => (await this.games()).show(),
      newGame: () => this.again(),
      dismiss: () => this.notice(),
      received: async (what) => (await this.setup()).receive(what),
      ...(kind.ears && { panel: () => this.actions.hear("panel") }),
      ...(kind.flips && { flip: () => this.flip() }),
      ...(kind.hides && { hands: () => this.openHands() }),
    };
  }

  // Loads a part of the page when it is first needed; again if that has failed.
  part(name, load) {
    dress();
    this.parts[name] ??= load().catch((error) => {
      delete this.parts[name];
      throw error;
    });
    return this.parts[name];
  }

  // The dialog for other beginnings, import and export.
  setup() {
    return this.part("setup", () => this.kind.setup?.(this) ?? coming(import("./beginning.js")).then(({ Beginning }) => new Beginning(this)));
  }

  // The server's options.
  options() {
    return this.part("options", () => ask("/api/options"));
  }

  async learnOptions() {
    this.values.most = (await this.options()).seconds;
  }

  // The list of kept games is loaded when the first game is kept.
  games() {
    return this.part("games", () => coming(import("./games.js")).then(({ Games }) => new Games(this)));
  }

  // Keeps the game on the board as it is now, a new one only after somebody has made a move (`made`).
  // Until the browser has it, it is `coming`: before the parts of the page that do this are loaded,
  // another game may be on the board, or the page may be left.
  async note(made) {
    if (!made && !this.parts.games) return;
    const { id, kind, view, coming, game: { hash, moves }, opponent: { players, others } } = this;
    const now = { id, players, others, game: kind.name, hash, moves: moves.length, changed: Date.now() };
    const { finished } = this;
    if (finished) {
      for (const name of ["hash", "moves", "over", "winner", "totals"]) now[name] = finished[name];
    } else if (view.ply === moves.length) {
      const rows = kind.score(view);
      now.over = view.over;
      now.winner = view.over ? view.seats[WINNERS.indexOf(Math.sign(kind.margin(view)))] ?? null : null;
      now.totals = view.over ? (rows.find(({ total }) => total) ?? rows.at(-1)).values : null;
    }
    const take = (list) => {
      const line = list.grow().besides(moves);
      if (line === null) this.notice("too_many_lines");
      else now.line = line;
    };
    if (this.list?.id === id) take(this.list);
    const begins = made && moves.length > 0;
    if (begins || coming.has(id) || this.kept?.id === id) coming.set(id, now);
    try {
      const games = await this.games();
      const list = await this.moves();
      if (this.id === id) take(list);
      const kept = await games.note(now, begins);
      if (kept && this.id === id) this.kept = kept;
    } catch {
      return; // the server is gone: try again later
    }
    if (coming.get(id) === now) coming.delete(id);
  }

  // What is kept of the game on the board if it has ended: what is tried afterwards is a variation.
  get finished() {
    const kept = this.coming.get(this.id) ?? this.kept;
    return kept?.id === this.id && kept.over ? kept : null;
  }

  get isUnderWay() {
    return this.game.moves.length > 0 && !this.view?.over && !this.finished;
  }

  // Puts the games that are coming where kept.js looks for them.
  leave() {
    const left = [...this.coming.values()].map((one) => ({ begun: one.changed, ...one }));
    if (left.length) remember("games", JSON.stringify([...recalled("games", Array.isArray) ?? [], ...left]));
  }

  // The list of moves is loaded with the first move. It begins with what is kept of the game.
  async moves() {
    this.list = await this.part("moves", () => coming(import("./moves.js")).then(({ Moves }) => new Moves(this)));
    await this.reading;
    return this.list;
  }

  updateMoves() {
    if (this.parts.moves || this.game.moves.length) this.moves().then((list) => list.update(), () => {});
  }

  // The score is loaded after the first board.
  async score(view) {
    const score = await this.part("score", () => coming(import("./score.js")).then(({ Score }) => new Score(this)));
    if (view === this.view) score.update(view);
  }

  // Asks

  // The hands that are shown: all of them if the reader wants that; a single person's own; with
  // several people none, until the player to move asks to see theirs.
  seen() {
    if (!this.kind.hides) return {};
    const { people } = this.opponent;
    if (this.all) return { see: this.game.seats };
    if (people.length === 1) return { see: people };
    const turn = this.game.ply === this.view?.ply ? this.view.turn : null;
    return { see: this.uncovered && turn ? [turn] : [] };
  }

  // The board is to change as soon as a promise is fulfilled; null if it has.
  waits(due) {
    this.due = due;
    mark(by("board"), "aria-busy", due && "true");
  }

  asked(...position) {
    return { ...this.game.asked(...position), ...this.seen() };
  }

  async refresh(spoken) {
    const number = ++this.asking;
    const { game, kind, game: { moves, ply, steps, lost } } = this;
    const seen = JSON.stringify(this.seen());
    let told;
    let wood;
    try {
      [told, wood] = await Promise.all([ask(`/api/${kind.name}/position`, this.asked()), kind.wood?.(game).catch(() => null)]);
      if (spoken instanceof Promise) await spoken;
    } catch (error) {
      const { mend } = error.status === 400 ? await this.refused() : {};
      if (number !== this.asking) return undefined;
      if (mend) return mend(this, error);
      if (this.view) {
        game.ply = Math.min(this.view.ply, moves.length); // a move that is not on the board can be tried again
        if (game.ply === this.view.ply) this.waits(null);
        if (this.board.view !== this.view) { // a marble lies there that is not confirmed
          this.board.show(this.view);
          this.values.again();
        }
        this.opponent.update(this.view);
      }
      return this.complain(error.message, () => {
        Object.assign(game, { moves, ply });
        game.changed({ steps, lost });
      });
    }
    if (number !== this.asking) return undefined;
    this.show({ ...told, wood, ply, move: moves[ply - 1] });
    // Now that the server has told who plays, other hands may be shown.
    return JSON.stringify(this.seen()) === seen ? undefined : this.refresh();
  }

  show(view) {
    const { game, kind } = this;
    const before = this.view;
    this.view = view;
    this.waits(null);
    this.mended = false;
    game.seat(view, view.ply);
    if (before?.seats.join() !== view.seats.join() || before.hides !== view.hides) this.sit();
    if (!before || !kind.isSameBoard(before, view)) this.board.build(view.wood ?? view, t("board"));
    if (!this.starting) this.keep(game.steps && location.hash !== game.hash);
    this.complain(this.wrong);
    this.wrong = "";
    this.board.show(view);
    if (before && (before.ply !== view.ply || before.move !== view.move)) this.actions.hear("now", before).catch(() => {});
    if (!this.starting) this.values.update(view, this.asked());
    this.updateMoves();
    this.opponent.update(view);
  }

  // Keeps the game and its players in the address and in the browser's history, where a step is an
  // entry of its own. So reloading or going back brings this tab's own game.
  keep(step = false) {
    if (this.starting) return;
    this.note(step);
    if (location.hash !== this.address) return; // another game is about to be read
    const { game, opponent: { players, others }, values: { on } } = this;
    history[step ? "pushState" : "replaceState"]({ id: this.id, players, others, values: on }, "", game.hash);
    this.address = location.hash;
    if (step && game.lost) this.notice("moves_gone", "bring_back", () => history.back());
    else if (step) this.parts.notice?.then(({ passed }) => passed());
    game.steps = false;
  }

  // Restores the players and settings that the browser has kept.
  restore() {
    const { state } = history;
    if (!state?.players) return;
    this.id = state.id ?? this.id;
    if (state.id) this.reading = this.readKept(state.id);
    this.opponent.take(state);
    this.values.set(state.values);
  }

  // Reads what is kept of the game. Where that fails, the game goes on as another one, so that nothing
  // takes the place of what could not be read.
  async readKept(id) {
    try {
      this.kept = await (await coming(import("./kept.js"))).keptAs(id);
    } catch {
      if (this.id === id) this.id = newId();
    }
  }

  // The notice is loaded with the first text.
  async notice(text, ...more) {
    if (text || this.parts.notice) (await this.part("notice", () => coming(import("./notice.js")))).notice(text, ...more);
  }

  // What the server refuses is explained by a part that is loaded with the first refusal.
  refused() {
    return this.part("refused", () => coming(import("./refused.js")));
  }

  // Plays

  // Plays a move; returns whether it may be played. While the board is about to change, the move waits
  // for that. The second half of a double click is none.
  async choose(move) {
    const { due, view, game: { moves, ply } } = this;
    if (due) {
      if (move === moves[ply - 1]) return false;
      await due;
      const stays = this.due ? this.due === due : this.view === view; // the server has not answered
      return stays ? false : this.choose(move);
    }
    if (!view || this.opponent.thinking) return false;
    this.complain("");
    if (!view.legal?.includes(move)) return (await this.refused()).explain(this, move);
    this.game.play(move);
    if (this.board.expect?.(move)) this.note(true); // what is seen is kept, though the page be left before the answer
    return true;
  }

  async type(text) {
    await this.due; // the board that the move is for
    const meant = this.kind.meant?.(text, this.view?.legal ?? []) ?? text;
    if (await this.choose(meant)) by("field").value = "";
    else by("field").select();
  }

  best() {
    const move = this.values.best;
    if (move && this.view.legal?.includes(move)) this.choose(move);
    else if (!this.values.on) this.values.choose(true);
    else if (!this.view.over) this.complain(t("no_best"));
  }

  // Shows a complaint, with a button that calls `again`, if that may help.
  complain(text, again) {
    const click = () => {
      this.complain("");
      this.board.focus();
      again();
    };
    by("field-wrong").replaceChildren(text, ...(again ? [" ", make("button", { type: "button", click }, t("try_again"))] : []));
    if (text) say(text);
  }

  // Begins another game like this one. Bots make their moves in it, and what an analysis has shown is
  // hidden.
  again() {
    const { game, kind, opponent, values } = this;
    if (opponent.people.length < game.seats.length) {
      values.set(false);
      if (this.all) this.openHands(false);
    }
    game.replace({ start: kind.again(game.start) });
  }

  // Hands

  uncover() {
    this.uncovered = true;
    this.refresh().then(() => this.board.focusHand?.());
  }

  openHands(open = !this.all) {
    this.all = by("open-hands").checked = open;
    this.refresh();
  }

  // Shows

  flip() {
    this.board.flip();
    this.redraw();
  }

  learned(judged) {
    this.board.judge(judged);
    this.updateMoves();
  }

  // Lists the moves that may still be chosen; the list is loaded with the first of them.
  async offer(moves) {
    if (!this.parts.turns && !moves.length) return;
    (await this.part("turns", () => coming(import("./turns.js")))).offer(this, moves);
  }

  // Whose turn it is, or how the game ended; to a single person, that it is theirs.
  get status() {
    const { kind, view, opponent: { people, plays } } = this;
    return plays && people.length === 1 && people[0] === view.turn && !view.over ? t("your_turn") : kind.status(view);
  }

  label() {
    const { kind, view, game, opponent: { thinking } } = this;
    const status = thinking ? t("thinking", { side: t(view.turn) }) : this.status;
    mark(by("board"), "data-waiting", thinking !== null);
    by("players-card").hidden = this.opponent.plays;
    document.querySelector("[data-role=status]").textContent = status;
    document.title = `${by("game-name").textContent}${t("colon")}${status}`;
    document.body.dataset.position = document.body.dataset[kind.notation] = view.notation ?? "";
    const [back, on] = [game.ply > 0, game.ply < game.moves.length];
    allow([by("undo"), back], [by("redo"), on], [by("to-start"), back], [by("to-end"), on]);
    kind.labelled?.(game);
    if (!this.starting) this.score(view);
  }

  // Makes a row for each side of the game, to choose its player.
  sit() {
    by("seats").replaceChildren(...this.view.seats.map((side) => make("label", {},
      make("span", { class: `dot ${side}` }), make("span", {}, capital(t(side))), " ", this.opponent.select(side))));
    if (!this.kind.hides) return;
    const open = make("input", { id: "open-hands", type: "checkbox", checked: this.all, change: () => this.openHands(open.checked) });
    // A game's options may decide whether it has hidden hands.
    by("seats").append(make("label", { class: "check", hidden: this.view.hides === false }, open, make("span", {}, capital(t("show_hands")))));
  }

  // Draws everything again, in another language or from the other side.
  redraw() {
    if (!this.view) return;
    this.board.svg?.setAttribute("aria-label", t("board"));
    this.label();
    this.board.show(this.view);
    this.values.again();
    this.updateMoves();
  }

  relabel() {
    if (!this.view) return;
    this.sit();
    this.redraw();
    if (this.starting) this.showStart?.(this);
  }

  async begin(spoken) {
    const { game } = this;
    by("field").placeholder = this.kind.example;
    game.addEventListener("replace", () => { this.id = newId(); });
    game.addEventListener("change", () => {
      this.leaveStart();
      this.uncovered = false; // the next player may see only their own cards
      this.waits(this.refresh());
    });
    addEventListener("hashchange", () => {
      const read = game.read(location.hash);
      if (!read) return location.reload();
      this.address = location.hash;
      this.restore();
      this.notice();
      if (location.hash !== game.hash) game.take(read);
      this.id = history.state?.id ?? this.id;
      return undefined;
    });
    by("typed").addEventListener("submit", (event) => {
      event.preventDefault();
      const typed = this.kind.typed(by("field").value.trim());
      if (typed) this.type(typed);
    });
    addEventListener("pagehide", () => this.leave());
    this.kind.furnish?.(this);
    const read = history.state?.starts ? null : game.read(location.hash);
    if (read) Object.assign(game, read);
    this.restore();
    this.starting = !read;
    this.unread = read || history.state?.starts ? "" : location.hash.slice(1);
    mark(document.body, "data-starting", this.starting);
    if (!this.starting) {
      this.learnOptions();
      return this.refresh(spoken);
    }
    const [{ showStart }] = await Promise.all([import("./start.js"), this.refresh(spoken), spoken]);
    this.showStart = showStart;
    if (this.starting) {
      showStart(this);
      by(history.state?.focus)?.focus();
    }
    return undefined;
  }

  leaveStart() {
    if (!this.starting) return;
    this.starting = false;
    mark(document.body, "data-starting", false);
    by("start")?.remove();
    this.learnOptions();
  }
}
