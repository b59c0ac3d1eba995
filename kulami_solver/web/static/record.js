// The moves of a game, and how far we look. The address of the page says the same, so a link
// carries the game.

export class GameRecord extends EventTarget {
  constructor() {
    super();
    this.start = {};
    this.moves = [];
    this.ply = 0;
  }

  play(move) {
    if (this.moves[this.ply] !== move) {
      this.moves = [...this.moves.slice(0, this.ply), move];
      this.forget(this.ply + 1);
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

  replace({ start, moves = [], ply = moves.length }) {
    this.start = start;
    this.moves = moves;
    this.ply = ply;
    this.forget(0);
    this.dispatchEvent(new Event("replace"));
    this.changed();
  }

  // Drops what was known of positions from this ply on; games that know some have their own.
  forget(_ply) {}

  changed() {
    this.dispatchEvent(new Event("change"));
  }
}

// The part of an address behind the #, of names and values; what is false or empty is left out.
export function addressOf(said) {
  const plain = (value) => encodeURIComponent(value).replace(/%(2F|2C|3A|3B|3D)/g, decodeURIComponent);
  const parts = Object.entries(said)
    .filter(([, value]) => value !== false && value !== "" && value !== undefined)
    .map(([name, value]) => `${name}=${plain(value)}`);
  return `#${parts.join("&")}`;
}

// How far an address says that we look, which is the end if it says nothing sensible.
export function plyOf(said, moves) {
  const ply = Number(said ?? moves.length);
  return Number.isInteger(ply) && ply >= 0 && ply <= moves.length ? ply : moves.length;
}
