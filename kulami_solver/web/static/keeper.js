// The games that the server keeps in a file (`kulami serve --keep`). An entry is as in games.js; the
// server looks at its id, its link and when it was changed, and gives the rest back as it is.

import { ask } from "./server.js";

const TIMES = 6; // that a server with its hands full is asked

export function keep({ id, hash, changed, game, sent: known, ...more }) {
  return ask("/api/kept/keep", { id, hash, changed: Math.round(changed), more }, undefined, TIMES);
}

export function remove(id) {
  return ask("/api/kept/delete", { id }, undefined, TIMES);
}

const sent = (games) => games.map((one) => ({ ...one, sent: true }));

// A hundred games, the newest first without so many of them; and how many there are.
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
