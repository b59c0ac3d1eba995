// The games that the server keeps in a file (`kulami serve --keep`). An entry is as in games.js; the
// server reads its id, its link and the time of its last change, and returns the rest unchanged.

import { ask } from "./server.js";

const TIMES = 6; // attempts, while the server is busy

export function keep({ id, hash, changed, game, sent: known, ...more }) {
  return ask("/api/kept/keep", { id, hash, changed: Math.round(changed), more }, undefined, TIMES);
}

export function remove(id) {
  return ask("/api/kept/delete", { id }, undefined, TIMES);
}

const sent = (games) => games.map((one) => ({ ...one, sent: true }));

// A hundred games, the newest first, after `skip` others; and the number of all games.
export async function list(skip = 0) {
  const { games, count } = await ask("/api/kept", { skip }, undefined, TIMES);
  return { games: sent(games), count };
}

export async function all() {
  const found = [];
  for (;;) {
    const { games, count } = await list(found.length);
    found.push(...games);
    if (!games.length || found.length >= count) return found;
  }
}

// The games in which a position came up, each with the `ply` of the first time.
export async function holding(kind, asked, signal) {
  return sent((await ask(`/api/${kind.name}/kept`, asked, signal, TIMES)).games);
}
