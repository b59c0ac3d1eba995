// A game of Kulami: where it began, its moves, how far we look, and what counts.

import { GameRecord, addressOf, plyOf } from "./record.js";

const NAMED = ["layout", "kfn", "first", "moves", "scoring", "marbles", "short_end", "ply"];

export class Game extends GameRecord {
  botSeed = "seed"; // what the server calls the seed of a bot

  constructor() {
    super();
    this.start = { layout: "square", first: "red" };
    this.scoring = "0";
    this.kfns = []; // of each ply that we have seen
    this.boards = new Map(); // what the server calls the layouts that we have asked for
  }

  // What the server is asked about the position after so many moves, and maybe one more.
  asked(ply = this.ply, ...more) {
    return { ...this.start, moves: [...this.moves.slice(0, ply), ...more], scoring: this.scoring };
  }

  get first() {
    if (this.start.kfn) return this.start.kfn.split(" ")[2] === "b" ? "black" : "red";
    return this.start.first;
  }

  // Who moves after so many moves.
  mover(ply) {
    return (ply % 2 === 0) === (this.first === "red") ? "red" : "black";
  }

  forget(ply) {
    this.kfns.length = Math.min(this.kfns.length, ply);
  }

  count(scoring) {
    this.scoring = scoring;
    this.changed();
  }

  replace(read) {
    this.scoring = read.scoring ?? this.scoring;
    super.replace(read);
  }

  // The part of the address behind the #.
  get hash() {
    const said = { ...this.start, moves: this.moves.join(","), scoring: this.scoring };
    if (said.marbles === 28) delete said.marbles;
    if (this.ply !== this.moves.length) said.ply = this.ply;
    return addressOf(said);
  }

  // Takes up what an address says; false if it says nothing of a game.
  static read(hash) {
    const said = new URLSearchParams(hash.replace(/^#/, ""));
    if (!said.has("kfn") && !said.has("layout")) return null;
    const known = Object.fromEntries([...said].filter(([name]) => NAMED.includes(name)));
    const start = known.kfn ? { kfn: known.kfn } : { layout: known.layout, first: known.first ?? "red" };
    if (known.marbles) start.marbles = Number(known.marbles);
    if (known.short_end === "true") start.short_end = true;
    const moves = (known.moves ?? "").toLowerCase().split(/[\s,]+/).filter(Boolean);
    return {
      start,
      moves,
      scoring: known.scoring ?? "0",
      ply: plyOf(known.ply, moves),
    };
  }
}
