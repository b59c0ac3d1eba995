// A game: its start, its moves, and the ply that is shown. The address of the page says the same, so
// a link carries the game.
//
//   #layout=square&moves=d4,d7&first=red&scoring=0
//   #game=malawi&board=3x4&moves=a4-a2;a1:b1,c1

import { by } from "./dom.js";
import { signed, t } from "./texts.js";

// Mails and forums write &amp; for the & of an address.
const saidBy = (hash) => new URLSearchParams(hash.replace(/^#/, "").replaceAll("&amp;", "&"));

// The game that an address names behind its #; the first game if it names none.
export function named(hash = location.hash) {
  const name = saidBy(hash).get("game");
  const games = [...by("which").options];
  return (games.find(({ value }) => value === name) ?? games[0]).value;
}

// Defaults of a game's `kind`.
export const USUAL = {
  counts: {}, usual: {}, between: ";", range: 1, inARow: 2, valueText: signed,
  question: {}, again: (start) => start, typed: (text) => text.toLowerCase(),

  status(view) {
    const side = view.turn && t(view.turn);
    if (view.over) return `${t(view.ended ? `over_${view.ended}` : "over", { side })} ${this.result(view)}`;
    return t(view.legal ? "moves_now" : "turn_hidden", { side, count: view.legal?.length });
  },

  // The end of a game for the first seat.
  margin: ({ winner, seats }) => (winner ? (winner === seats[0] ? 1 : -1) : 0),

  result: (view) => (view.winner ? t("side_wins", { side: t(view.winner) }) : t("draw")),
};

// The words, options and board of a game.
export async function kindNamed(name) {
  const [first, ...others] = by("which").options;
  const about = [first, ...others].find(({ value }) => value === name).dataset;
  const own = about.own !== undefined;
  const said = own ? (await import(`./${name}/game.js`)).game : await (await import("./any.js")).kindFor(name);
  const kind = { ...USUAL, usual: JSON.parse(about.usual), ...said, name, isFirst: name === first.value };
  for (const one in kind.counts) delete kind.usual[one]; // an address always says what counts
  return kind;
}

export const newId = () => Date.now().toString(36) + Math.random().toString(36).slice(2, 8);

// A move in an address, where ; and blanks stand between moves.
const escaped = (move) => move.replace(/[%;\s]/g, (sign) => `%${sign.charCodeAt().toString(16).padStart(4, "0")}`);
const unescaped = (move) => move.replace(/%([0-9a-f]{4})/gi, (_code, number) => String.fromCharCode(parseInt(number, 16)));

export class Record extends EventTarget {
  constructor(kind) {
    super();
    this.kind = kind;
    this.start = kind.begin();
    this.counts = { ...kind.counts }; // options of judging, which change no move: the scoring
    this.moves = [];
    this.ply = 0;
    this.seats = kind.seats;
    this.movers = []; // the side that made each move, where the server tells it
    this.first = 0; // the number of the seat that begins, where the seats take turns
    this.line = null; // the moves with comments and variations, where the game came with some
    this.steps = false; // whether the last change becomes an entry of the browser's history
    this.lost = false; // whether the last change replaced a game with moves
  }

  // The question to the server about the position after `ply` moves, and maybe more.
  asked(ply = this.ply, ...more) {
    return { ...this.start, moves: [...this.moves.slice(0, ply), ...more], ...this.counts };
  }

  // The side that moves after `ply` moves.
  mover(ply) {
    return this.movers[ply] ?? this.seats[(this.first + ply) % this.seats.length];
  }

  // Takes the seats and the side to move from the server's answer about the position at `ply`.
  seat({ seats, turn, over, movers }, ply) {
    this.seats = seats;
    if (movers) {
      this.movers = [...movers, ...this.movers.slice(ply)];
      if (!over) this.movers[ply] = turn;
    }
    const number = seats.indexOf(turn) - ply;
    this.first = ((number % seats.length) + seats.length) % seats.length;
  }

  // A bot's answer is no step: going back leads to the reader's own move before it.
  play(move, { steps = true } = {}) {
    if (this.moves[this.ply] !== move) {
      this.moves = [...this.moves.slice(0, this.ply), move];
      this.movers.length = Math.min(this.movers.length, this.ply + 1);
    }
    this.ply += 1;
    this.changed({ steps });
  }

  go(ply) {
    const to = Math.max(0, Math.min(ply, this.moves.length));
    if (to === this.ply) return;
    this.ply = to;
    this.changed();
  }

  // Turns to another line of the game.
  follow(moves, ply) {
    const differs = moves.findIndex((move, index) => move !== this.moves[index]);
    if (differs >= 0) this.movers.length = Math.min(this.movers.length, differs + 1);
    Object.assign(this, { moves, ply });
    this.changed();
  }

  count(counts) {
    Object.assign(this.counts, counts);
    this.changed();
  }

  // Begins another game, from which there is a way back to this one.
  replace(another) {
    this.take(another, { steps: true, lost: this.moves.length > 0 });
  }

  // Takes a game, such as the one in an address.
  take({ start, moves = [], ply = moves.length, counts = {}, line = null }, how = {}) {
    Object.assign(this, { start, moves, ply, line, movers: [] });
    Object.assign(this.counts, counts);
    this.dispatchEvent(new Event("replace"));
    this.changed(how);
  }

  changed({ steps = false, lost = false } = {}) {
    Object.assign(this, { steps, lost });
    this.dispatchEvent(new Event("change"));
  }

  // The part of the address behind the #; usual and empty values are left out.
  get hash() {
    const { kind } = this;
    const said = { game: kind.isFirst ? "" : kind.name, ...this.start, moves: this.moves.map(escaped).join(kind.between), ...this.counts };
    for (const [name, usual] of Object.entries(kind.usual)) {
      if (said[name] === usual) delete said[name];
    }
    if (this.ply !== this.moves.length) said.ply = this.ply;
    const plain = (value) => encodeURIComponent(value).replace(/%(2F|2C|3A|3B|3D)/g, decodeURIComponent);
    const parts = Object.entries(said)
      .filter(([, value]) => value !== false && value !== "" && value !== undefined)
      .map(([name, value]) => `${name}=${plain(value)}`);
    return `#${parts.join("&")}`;
  }

  // Reads an address; null if it says nothing of this game.
  read(hash) {
    const { kind } = this;
    const said = saidBy(hash);
    const options = { [kind.notation]: "", ...kind.usual, ...kind.begin() };
    const known = { game: "", moves: "", ply: "", ...options, ...this.counts };
    if (![...said.keys()].some((name) => Object.hasOwn(known, name)) || (said.get("game") ?? (kind.isFirst ? kind.name : "")) !== kind.name) return null;
    const start = said.has(kind.notation) ? {} : kind.begin();
    const kinds = { number: Number, boolean: (value) => value === "true", string: String };
    for (const [name, value] of said) {
      if (Object.hasOwn(options, name)) start[name] = kinds[typeof options[name]](value);
    }
    if (start[kind.notation]) for (const name of kind.instead) delete start[name];
    const moves = kind.typed(said.get("moves") ?? "").split(kind.between === "," ? /[\s,]+/ : /[\s;]+/).filter(Boolean).map(unescaped);
    const counts = Object.fromEntries(Object.keys(this.counts).map((name) => [name, said.get(name) ?? kind.counts[name]]));
    const ply = Number(said.get("ply") ?? moves.length);
    return { start, moves, counts, ply: Number.isInteger(ply) && ply >= 0 && ply <= moves.length ? ply : moves.length };
  }
}
