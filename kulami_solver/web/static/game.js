// The game on the page: where it began, its moves, how far we look, and what counts. The address
// of the page says the same, so a link carries the game.

const NAMED = ["layout", "kfn", "first", "moves", "scoring", "marbles", "short_end", "ply"];

export class Game extends EventTarget {
  constructor() {
    super();
    this.start = { layout: "square", first: "red" };
    this.moves = [];
    this.ply = 0;
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

  play(field) {
    if (this.moves[this.ply] !== field) {
      this.moves = [...this.moves.slice(0, this.ply), field];
      this.kfns.length = Math.min(this.kfns.length, this.ply + 1);
    }
    this.ply += 1;
    this.changed();
  }

  go(ply) {
    const to = Math.max(0, Math.min(ply, this.moves.length));
    if (to === this.ply) return;
    this.ply = to;
    this.changed();
  }

  count(scoring) {
    this.scoring = scoring;
    this.changed();
  }

  replace({ start, moves = [], scoring = this.scoring, ply = moves.length }) {
    this.start = start;
    this.moves = moves;
    this.ply = ply;
    this.scoring = scoring;
    this.kfns = [];
    this.dispatchEvent(new Event("replace"));
    this.changed();
  }

  changed() {
    this.dispatchEvent(new Event("change"));
  }

  // The part of the address behind the #.
  get hash() {
    const said = { ...this.start, moves: this.moves.join(","), scoring: this.scoring };
    if (this.ply !== this.moves.length) said.ply = this.ply;
    const parts = Object.entries(said)
      .filter(([name, value]) => value !== false && value !== "" && !(name === "marbles" && value === 28))
      .map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("%2F", "/").replaceAll("%2C", ",")}`);
    return `#${parts.join("&")}`;
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
    const ply = Number(known.ply ?? moves.length);
    return {
      start,
      moves,
      scoring: known.scoring ?? "0",
      ply: Number.isInteger(ply) && ply >= 0 && ply <= moves.length ? ply : moves.length,
    };
  }
}
