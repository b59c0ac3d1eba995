// The page of a game: each change of the game is told to the server, and its answer is shown. What
// is a game's own, it brings as its `kind`: a board, words, what can be chosen.

import { by, make, mark } from "./dom.js";
import { Moves } from "./moves.js";
import { Opponent } from "./opponent.js";
import { Record } from "./record.js";
import { ask } from "./server.js";
import { say, t } from "./texts.js";
import { Values } from "./values.js";

export class Table {
  constructor(kind) {
    this.kind = kind;
    this.game = new Record(kind);
    this.view = null;
    this.asking = 0;
    this.wrong = ""; // with the address
    this.mended = false; // whether a start has been replaced that was none
    this.all = false; // whether all hands are to be seen
    this.uncovered = false; // whether the hand of who is to move is
    this.board = kind.makeBoard(by("board"), {
      choose: (move) => this.choose(move),
      hovered: (move) => this.values.hover(move),
      refuse: (text) => this.complain(text),
      picked: (moves) => this.offer(moves),
      uncover: () => this.uncover(),
      named: (...field) => kind.named(...field),
    });
    this.values = new Values(kind, this.board, {
      learned: (judged) => this.learned(judged),
      failed: (text) => this.complain(text),
    });
    this.moves = new Moves(this);
    this.opponent = new Opponent(this);
    this.actions = {
      best: () => this.best(),
      values: () => this.values.choose(),
      undo: () => this.game.go(this.opponent.undone()),
      redo: () => this.game.go(this.game.ply + 1),
      toStart: () => this.game.go(0),
      toEnd: () => this.game.go(this.game.moves.length),
      mistake: (way) => this.moves.mistake(way),
      board: () => this.board.focus(),
      setup: async () => (await this.setup()).show(),
      newGame: () => this.game.replace({ start: kind.again(this.game.start) }),
      received: async (what) => (await this.setup()).receive(what),
      ...(kind.flips && { flip: () => this.flip() }),
      ...(kind.hides && { hands: () => this.openHands() }),
    };
  }

  // The dialog for other beginnings, import and export comes when it is first asked for.
  async setup() {
    this.dialog ??= this.kind.setup ? this.kind.setup(this) : import("./beginning.js").then(({ Beginning }) => new Beginning(this));
    return this.dialog;
  }

  // Asks

  // The hands that are seen: all of them if that was asked for; a single person's own; with several
  // people none, until the player to move asks to see theirs.
  seen() {
    if (!this.kind.hides) return {};
    const { people } = this.opponent;
    if (this.all) return { see: this.game.seats };
    if (people.length === 1) return { see: people };
    const turn = this.game.ply === this.view?.ply ? this.view.turn : null;
    return { see: this.uncovered && turn ? [turn] : [] };
  }

  asked(...position) {
    return { ...this.game.asked(...position), ...this.seen() };
  }

  async refresh(spoken) {
    const number = ++this.asking;
    const { game, kind } = this;
    const ply = game.ply;
    const seen = JSON.stringify(this.seen());
    let told;
    let wood;
    try {
      [told, wood] = await Promise.all([ask(`/api/${kind.name}/position`, this.asked()), kind.wood?.(game).catch(() => null)]);
      if (spoken instanceof Promise) await spoken;
    } catch (error) {
      if (number !== this.asking) return;
      if (error.status === 400) this.mend(error);
      else this.complain(error.message);
      return;
    }
    if (number !== this.asking) return;
    this.show({ ...told, wood, ply });
    // The server has told who plays, and other hands may be seen now.
    if (JSON.stringify(this.seen()) !== seen) await this.refresh();
  }

  show(view) {
    const { game, kind } = this;
    const before = this.view;
    this.view = view;
    this.mended = false;
    game.seat(view, view.ply);
    if (before?.seats.join() !== view.seats.join()) this.sit();
    if (!before || !kind.isSameBoard(before, view)) this.board.build(view.wood ?? view, t("board"));
    if (location.hash !== game.hash) history.replaceState(null, "", game.hash);
    by("field-wrong").textContent = this.wrong;
    this.wrong = "";
    this.board.show(view);
    this.label();
    if (before && before.ply + 1 === view.ply) {
      say(`${t("moved", { side: t(game.mover(before.ply)), move: game.moves[before.ply] })}. ${kind.status(view)}`);
    }
    this.values.update(view, this.asked());
    this.moves.update();
    this.opponent.update(view);
  }

  // An address may say what is no game: what of it can be played is shown, with what is wrong.
  mend(error) {
    const { game, kind } = this;
    this.wrong = error.message;
    if (error.move) return game.replace({ start: game.start, moves: game.moves.slice(0, error.move - 1) });
    if (this.mended) return this.complain(this.wrong);
    this.mended = true;
    return game.replace({ start: kind.begin(), counts: kind.counts });
  }

  // Plays

  async choose(move) {
    if (!this.view || this.opponent.thinking) return false;
    this.complain("");
    if (!this.view.legal?.includes(move)) return this.explain(move);
    this.game.play(move);
    return true;
  }

  // A move that is not legal is explained by the server. What a bot holds is not for people to try.
  async explain(move) {
    const { view } = this;
    if (!view.legal && this.opponent.isBot(view.turn)) {
      this.complain(t("hand_hidden", { side: t(view.turn) }));
      return false;
    }
    try {
      await ask(`/api/${this.kind.name}/position`, this.asked(this.game.ply, move));
    } catch (error) {
      this.complain(error.reason);
      return false;
    }
    if (view === this.view) this.game.play(move); // of a hand that nobody looks at
    return true;
  }

  async type(text) {
    const meant = this.kind.meant?.(text, this.view?.legal ?? []) ?? text;
    if (await this.choose(meant)) by("field").value = "";
    else by("field").select();
  }

  best() {
    const move = this.values.best;
    if (move && this.view.legal?.includes(move)) this.choose(move);
    else if (!this.values.on) this.values.choose(true);
  }

  complain(text) {
    by("field-wrong").textContent = text;
    if (text) say(text);
  }

  // Hands

  uncover() {
    this.uncovered = true;
    this.refresh().then(() => this.board.focusHand?.());
  }

  openHands(open = !this.all) {
    this.all = open;
    this.refresh();
  }

  // Shows

  flip() {
    this.board.flip();
    this.redraw();
  }

  learned(judged) {
    this.board.judge(judged);
    this.moves.update();
  }

  // Lists the moves that may still be chosen with their values, the best first if that is known.
  offer(moves) {
    const judged = this.values?.judged;
    const order = judged ? [...judged.moves.keys()].filter((move) => moves.includes(move)) : moves;
    const before = new Map([...by("turns").children].map((button) => [button.dataset.move, button]));
    const buttons = (order.length === moves.length ? order : moves).map((move) => {
      const worth = judged?.moves.get(move);
      const button = before.get(move) ?? this.offered(move);
      for (const name of button.getAttributeNames()) if (/^data-(?!move)/.test(name)) button.removeAttribute(name);
      for (const [name, value] of Object.entries(worth?.data ?? {})) mark(button, `data-${name}`, value);
      button.className = judged?.best.includes(move) ? "best" : "";
      button.replaceChildren(this.kind.moveWords?.(move) ?? move, ...(worth?.text ? [make("span", { class: `chip ${worth.kind}`, "aria-hidden": "true" }, worth.text), make("span", { class: "unseen" }, worth.spoken)] : []));
      return button;
    });
    // A button that stays in its place keeps the focus, and does not slip away from the mouse.
    const same = buttons.length === before.size && buttons.every((button, place) => by("turns").children[place] === button);
    if (!same) by("turns").replaceChildren(...buttons);
  }

  offered(move) {
    const [point, leave] = [move, null].map((turn) => () => this.board.point?.(turn));
    const click = (event) => {
      this.choose(move);
      if (event.detail === 0) this.board.focus(); // with the keyboard: the button is about to go
    };
    return make("button", { type: "button", "data-move": move, click, pointerenter: point, focus: point, pointerleave: leave, blur: leave });
  }

  label() {
    const { kind, view, game } = this;
    const status = kind.status(view);
    document.querySelector("[data-role=status]").textContent = status;
    document.title = `${by("game-name").textContent}: ${status}`;
    document.body.dataset.position = document.body.dataset[kind.notation] = view.notation ?? "";
    by("undo").disabled = by("to-start").disabled = game.ply === 0;
    by("redo").disabled = by("to-end").disabled = game.ply === game.moves.length;
    kind.labelled?.(game);
    this.score();
  }

  score() {
    const { view } = this;
    const parts = this.kind.score(view);
    const shows = parts.some(({ show }) => show);
    const heads = view.seats.map((side) => make("th", { scope: "col" }, make("span", { class: `dot ${side}` }), t(side)));
    const rows = parts.map(({ text, values, total, idle, show }) => make("tr", { class: [total && shows && "total", idle && "idle"].filter(Boolean).join(" ") || null },
      make("th", { scope: "row" }, t(text)), ...view.seats.map((side) => make("td", { "data-score": total ? side : null }, values[side])),
      ...(shows ? [make("td", {}, ...(show ? [this.shower(show, text)] : []))] : [])));
    document.querySelector("[data-role=score]").replaceChildren(
      make("thead", {}, make("tr", {}, make("td"), ...heads, ...(shows ? [make("th", { scope: "col" }, t("show"))] : []))), make("tbody", {}, ...rows));
  }

  // A button that has a part of the score shown on the board.
  shower(show, text) {
    const list = by("board").classList;
    return make("button", {
      type: "button", "aria-pressed": String(list.contains(`show-${show}`)), "data-show": show, "aria-label": `${t("show")}: ${t(text)}`,
      click: ({ target }) => target.setAttribute("aria-pressed", list.toggle(`show-${show}`)),
    }, t("show"));
  }

  // Gives each player of the game a row to choose who plays it.
  sit() {
    const selects = {};
    const rows = this.view.seats.map((side) => {
      selects[side] = make("select", { id: `player-${side}` });
      return make("label", {}, make("span", { class: `dot ${side}` }), make("span", {}, t(side)), " ", selects[side]);
    });
    this.opponent.sit(selects);
    by("seats").replaceChildren(...rows);
    if (!this.kind.hides) return;
    const open = make("input", { id: "open-hands", type: "checkbox", checked: this.all, change: () => this.openHands(open.checked) });
    by("seats").append(make("label", { class: "check" }, open, make("span", {}, t("show_hands"))));
  }

  // Draws all anew, as in another language, or from the other side.
  redraw() {
    if (!this.view) return;
    this.board.svg?.setAttribute("aria-label", t("board"));
    this.label();
    this.board.show(this.view);
    this.values.again();
    this.moves.update();
  }

  relabel() {
    if (!this.view) return;
    this.sit();
    this.redraw();
  }

  async begin(spoken) {
    const { game } = this;
    by("field").placeholder = this.kind.example;
    game.addEventListener("change", () => {
      this.uncovered = false; // whoever sits down next is to look at their own cards alone
      this.refresh();
    });
    addEventListener("hashchange", () => {
      const read = game.read(location.hash);
      if (read && location.hash !== game.hash) game.replace(read);
    });
    by("typed").addEventListener("submit", (event) => {
      event.preventDefault();
      const typed = by("field").value.trim().toLowerCase();
      if (typed) this.type(typed);
    });
    this.kind.furnish?.(this);
    const read = game.read(location.hash);
    if (read) Object.assign(game, read);
    await this.refresh(spoken);
  }
}
