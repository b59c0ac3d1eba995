// A game of Malawi or Just 4 Fun: where it began, its moves, and how far we look.
//
//   #game=malawi&board=3x4&beads=2&moves=a4-a2;a1:b1,c1
//   #game=just4fun&board=2006&seed=7&moves=12=5%2B7

import { GameRecord, addressOf, plyOf } from "./record.js";

export class SiblingGame extends GameRecord {
  botSeed = "bot_seed"; // `seed` is that of the deal

  constructor(kind) {
    super();
    this.kind = kind;
    this.start = kind.begin();
    this.movers = []; // who has made each move that we have seen
  }

  // What the server is asked about the position after so many moves, and maybe one more.
  asked(ply = this.ply, ...more) {
    return { ...this.start, moves: [...this.moves.slice(0, ply), ...more] };
  }

  mover(ply) {
    return this.movers[ply] ?? this.kind.seats[0];
  }

  forget(ply) {
    this.movers.length = Math.min(this.movers.length, ply);
  }

  get hash() {
    const said = { game: this.kind.name, ...this.start, moves: this.moves.join(";") };
    for (const [name, usual] of Object.entries(this.kind.usual)) {
      if (said[name] === usual) delete said[name];
    }
    if (this.ply !== this.moves.length) said.ply = this.ply;
    return addressOf(said);
  }

  // Takes up what an address says; null if it says nothing of a game of this kind.
  read(hash) {
    const said = new URLSearchParams(hash.replace(/^#/, ""));
    const { kind } = this;
    if (said.get("game") !== kind.name) return null;
    const start = said.has(kind.notation) ? {} : kind.begin();
    for (const [name, value] of said) {
      if (name === kind.notation || kind.texts.includes(name)) start[name] = value;
      if (kind.numbers.includes(name)) start[name] = Number(value);
      if (kind.flags.includes(name)) start[name] = value === "true";
    }
    const moves = (said.get("moves") ?? "").toLowerCase().split(/[;\s]+/).filter(Boolean);
    return { start, moves, ply: plyOf(said.get("ply") ?? undefined, moves) };
  }
}
