// Malawi and Just 4 Fun on the page: each change of the game is told to the server, and its answer
// is shown. What is a game's own, it brings as its `kind`: a board, words, what can be chosen.

import { Beginning } from "./beginning.js";
import { by, make } from "./dom.js";
import { goWhereClicked, listMoves } from "./move_list.js";
import { Opponent } from "./opponent.js";
import { ask } from "./server.js";
import { SiblingGame } from "./sibling_game.js";
import { SiblingValues } from "./sibling_values.js";
import { say, t } from "./texts.js";

class Table {
  constructor(kind) {
    this.kind = kind;
    this.game = new SiblingGame(kind);
    this.view = null;
    this.asking = 0;
    this.wrong = ""; // with the address
    this.all = false; // whether all hands are to be seen
    this.uncovered = false; // whether the hand of who is to move is
    this.board = kind.makeBoard(by("board"), {
      play: (move) => this.play(move),
      explain: (move) => this.explain(move),
      refuse: (text) => this.complain(text),
      picked: (moves) => this.offer(moves),
      uncover: () => this.uncover(),
      named: (...field) => kind.named(...field),
    });
    this.values = new SiblingValues(kind, (judged) => this.learned(judged));
    this.opponent = new Opponent(this.game, {
      choices: kind.choices,
      selects: {},
      hide: () => this.values.toggle(false),
      chosen: async (asked, signal) => (await ask(`/api/${kind.name}/move`, asked, signal)).move,
      spoken: (side, move) => t("moved", { side: t(side), move }),
    });
    this.beginning = new Beginning(this);
    this.actions = {
      best: () => this.best(),
      values: () => this.values.choose(),
      undo: () => this.game.go(this.opponent.undone()),
      redo: () => this.game.go(this.game.ply + 1),
      toStart: () => this.game.go(0),
      toEnd: () => this.game.go(this.game.moves.length),
      board: () => this.board.focus(),
      setup: () => this.beginning.show(),
      newGame: () => this.game.replace({ start: kind.again(this.game.start) }),
      received: (what) => this.beginning.receive(what),
    };
    if (kind.name === "malawi") {
      this.actions.flip = () => {
        this.board.flip();
        this.board.paint();
      };
    } else {
      this.actions.hands = () => this.openHands();
    }
  }

  // Asks

  seen() {
    const turn = this.game.ply === this.view?.ply ? this.view.turn : null;
    return this.kind.see({ all: this.all, people: this.opponent.people, turn, uncovered: this.uncovered, seats: this.game.seats ?? this.kind.seats });
  }

  async refresh(spoken) {
    const number = ++this.asking;
    const { game, kind } = this;
    const ply = game.ply;
    const seen = this.seen();
    let told;
    try {
      told = await ask(`/api/${kind.name}/position`, { ...game.asked(), ...seen });
      if (spoken instanceof Promise) await spoken;
    } catch (error) {
      if (number !== this.asking) return;
      if (error.status === 400) this.mend(error);
      else this.complain(error.message);
      return;
    }
    if (number !== this.asking) return;
    this.show({ ...told, ply });
    // Who plays was not known before: whose hands are to be seen may be others.
    if (JSON.stringify(this.seen()) !== JSON.stringify(seen)) await this.refresh();
  }

  show(view) {
    const { game, kind } = this;
    const before = this.view;
    this.view = view;
    game.seats = view.seats;
    game.movers = [...view.movers, ...game.movers.slice(view.ply)];
    if (!view.over) game.movers[view.ply] = view.turn;
    if (before?.seats.join() !== view.seats.join()) this.sit();
    if (!before || !kind.isSameBoard(before, view)) this.board.build(view, t("board"));
    if (location.hash !== game.hash) history.replaceState(null, "", game.hash);
    this.complain(this.wrong);
    this.wrong = "";
    this.board.show(view);
    this.label();
    if (before && before.ply + 1 === view.ply) {
      const move = game.moves[view.ply - 1];
      say(`${t("moved", { side: t(view.movers.at(-1)), move })}. ${kind.status(view)}`);
    }
    this.values.update(view, { ...game.asked(), ...this.seen() });
    this.opponent.update(view);
  }

  // An address may say what is no game: what of it can be played is shown, with what is wrong.
  mend(error) {
    const { game, kind } = this;
    const mended = error.move
      ? { start: game.start, moves: game.moves.slice(0, error.move - 1) }
      : { start: kind.begin(), moves: [] };
    this.wrong = error.message;
    if (!error.move && JSON.stringify(game.start) === JSON.stringify(mended.start)) return this.complain(this.wrong);
    return game.replace(mended);
  }

  // Plays

  play(move) {
    if (this.opponent.thinking) return;
    this.complain("");
    this.game.play(move);
  }

  // A move that is not legal is explained by the server.
  async explain(move) {
    this.complain("");
    try {
      await ask(`/api/${this.kind.name}/position`, { ...this.game.asked(this.game.ply, move), ...this.seen() });
      return true;
    } catch (error) {
      this.complain(error.reason);
      return false;
    }
  }

  async type(text) {
    const legal = this.view?.legal ?? [];
    const meant = legal.includes(text) ? [text] : legal.filter((move) => move.split("=")[0] === text);
    if (meant.length === 1) return this.play(meant[0]);
    if (await this.explain(text)) return this.play(text);
    return by("field").select();
  }

  best() {
    const move = this.values.judged?.best[0];
    if (move && this.view.legal?.includes(move)) this.play(move);
    else if (!this.values.on) this.values.choose(true);
  }

  complain(text) {
    by("field-wrong").textContent = text;
    if (text) say(text);
  }

  // Hands

  uncover() {
    this.uncovered = true;
    this.refresh().then(() => by("hands").querySelector("button")?.focus());
  }

  openHands(open = !this.all) {
    this.all = open;
    this.refresh();
  }

  // Shows

  learned(judged) {
    this.board.judge(judged);
    this.list();
  }

  // What is left to choose from, each with what it is worth; the best first where that is known.
  offer(moves) {
    const judged = this.values?.judged;
    const order = judged ? [...judged.moves.keys()].filter((move) => moves.includes(move)) : moves;
    const buttons = (order.length === moves.length ? order : moves).map((move) => {
      const worth = judged?.moves.get(move);
      const data = Object.entries(worth?.data ?? {}).map(([name, value]) => [`data-${name}`, value]);
      const text = move.startsWith("discard") ? t("put_away", { cards: move.split("=")[1] ?? "\u2013" }) : move;
      const button = make("button", {
        type: "button", "data-move": move, ...Object.fromEntries(data), class: judged?.best.includes(move) ? "best" : null,
      }, text, ...(worth?.text ? [make("span", { class: `chip ${judged.guess ? "open" : worth.kind}`, "aria-hidden": "true" }, worth.text), make("span", { class: "unseen" }, worth.spoken)] : []));
      button.addEventListener("click", (event) => {
        this.play(move);
        if (event.detail === 0) this.board.focus(); // with the keyboard: the button is about to go
      });
      for (const [event, turn] of [["pointerenter", move], ["focus", move], ["pointerleave", null], ["blur", null]]) {
        button.addEventListener(event, () => this.board.point(turn));
      }
      return button;
    });
    by("turns").replaceChildren(...buttons);
  }

  list() {
    const { game } = this;
    const moves = game.moves.map((move, index) => {
      const side = game.mover(index);
      const known = this.values?.on ? this.values.of({ ...game.asked(index), ...this.seen() }) : null;
      const worth = known ? this.kind.judged(known.told, { ...this.view, turn: side }).moves.get(move) : null;
      return { move, side, worth: worth?.text ?? "", spoken: worth?.spoken ?? "" };
    });
    listMoves(by("moves"), moves, game.ply, this.view?.seats.length);
  }

  label() {
    const { kind, view, game } = this;
    const status = kind.status(view);
    document.querySelector("[data-role=status]").textContent = status;
    document.title = `${by("game-name").textContent}: ${status}`;
    document.body.dataset.position = view.notation ?? "";
    by("undo").disabled = by("to-start").disabled = game.ply === 0;
    by("redo").disabled = by("to-end").disabled = game.ply === game.moves.length;
    this.score();
  }

  score() {
    const { view } = this;
    const heads = view.seats.map((side) => make("th", { scope: "col" }, make("span", { class: `dot ${side}` }), t(side)));
    const rows = this.kind.score(view).map(({ text, values, total }) => make("tr", { class: total ? "sum" : null },
      make("th", { scope: "row" }, t(text)), ...view.seats.map((side) => make("td", { "data-score": total ? side : null }, values[side]))));
    document.querySelector("[data-role=score]").replaceChildren(
      make("thead", {}, make("tr", {}, make("td"), ...heads)), make("tbody", {}, ...rows));
  }

  // Gives each player of the game a row to choose who plays it.
  sit() {
    const selects = {};
    const rows = this.view.seats.map((side) => {
      selects[side] = make("select", { id: `player-${side}` });
      return make("label", {}, make("span", { class: `dot ${side}` }), make("span", {}, t(side)), " ", selects[side]);
    });
    const before = this.opponent.selects;
    const chosen = Object.fromEntries(Object.entries(before).map(([side, select]) => [side, select.value]));
    this.opponent.sit(selects);
    this.opponent.relabel();
    for (const [side, select] of Object.entries(selects)) {
      if (chosen[side]) select.value = chosen[side];
      select.addEventListener("change", () => this.refresh());
    }
    by("seats").replaceChildren(...rows);
    if (this.actions.hands) {
      const open = make("input", { id: "open-hands", type: "checkbox" });
      open.checked = this.all;
      open.addEventListener("change", () => this.openHands(open.checked));
      by("seats").append(make("label", { class: "check" }, open, make("span", {}, t("show_hands"))));
    }
  }

  relabel() {
    if (!this.view) return;
    this.sit();
    this.board.svg.setAttribute("aria-label", t("board"));
    this.label();
    this.board.show(this.view);
    this.values.update(this.view, this.values.asked);
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
    goWhereClicked(by("moves"), game);
    by("typed").addEventListener("submit", async (event) => {
      event.preventDefault();
      const typed = by("field").value.trim().toLowerCase();
      if (!typed) return;
      await this.type(typed);
      if (!by("field-wrong").textContent) by("field").value = "";
    });
    const read = game.read(location.hash);
    if (read) Object.assign(game, read);
    await this.refresh(spoken);
  }
}

// What the page needs of a game.
export function table(kind) {
  const found = new Table(kind);
  return { actions: found.actions, relabel: () => found.relabel(), begin: (spoken) => found.begin(spoken) };
}
