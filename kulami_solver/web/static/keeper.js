// The games that the server keeps in a file (`kulami serve --keep`). An entry is as in kept.js; the
// server reads its id, its link and the time of its last change, and returns the rest unchanged.

import { ask } from "./server.js";

const TIMES = 6; // attempts, while the server is busy

// If it is said when the version was changed that this one goes on from, another version stays, and is
// returned as `game`.
export function keep({ id, hash, changed, game, waiting, seen: known, ...more }, seen) {
  return ask("/api/kept/keep", { id, hash, changed: Math.round(changed), more, seen: seen && Math.round(seen) }, undefined, TIMES);
}

export function remove(id) {
  return ask("/api/kept/delete", { id }, undefined, TIMES);
}

// A hundred games, the newest first, after `skip` others; the number of all games, and where to go on.
export async function list(skip = 0) {
  const { games, damaged, count } = await ask("/api/kept", { skip }, undefined, TIMES);
  return { games, count, next: skip + games.length + damaged };
}

export async function all() {
  const found = [];
  for (let skip = 0; ;) {
    const { games, count, next } = await list(skip);
    found.push(...games);
    if (next === skip || next >= count) return found;
    skip = next;
  }
}

// The games in which a position came up, each with the `ply` of the first time.
export async function holding(kind, asked, signal) {
  return (await ask(`/api/${kind.name}/kept`, asked, signal, TIMES)).games;
}
