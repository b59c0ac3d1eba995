// A game that comes as text, whether it is pasted or dropped on the page or put into the box of a
// dialog: a link, also one to another game, or a record.

import { named } from "./record.js";
import { ask } from "./server.js";
import { isLine } from "./tree.js";

// The part of a link behind the #; undefined if the text is none. A record may have a # in a comment.
const linked = (text) => /^[^{[\n]*#(\S.*)$/.exec(text)?.[1];

// The text of a file. Old Notepad writes UTF-16, with a mark at its beginning.
export async function textOf(blob) {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const coded = { "255,254": "utf-16le", "254,255": "utf-16be" }[bytes.slice(0, 2)] ?? "utf-8";
  return new TextDecoder(coded).decode(bytes);
}

// Reads a game record; null if the text is none, or does not say how the game begins.
function recorded(text, kind) {
  try {
    const record = JSON.parse(text);
    const start = kind.recorded?.(record);
    const { moves, comments, variations } = record;
    const line = { moves, comments, variations };
    return start && isLine(line) ? { start, moves, line } : null;
  } catch {
    return null; // not a record
  }
}

// Opens the game in a text; returns whether there is one. Throws the server's refusal.
export async function takeIn(text, { kind, game }) {
  const link = linked(text.trim());
  if (link && named(link) !== kind.name) {
    location.hash = link; // the page is loaded anew
    return true;
  }
  const read = link ? game.read(link) : recorded(text, kind);
  if (!read) return false;
  await ask(`/api/${kind.name}/position`, { ...read.start, moves: read.moves, ...read.counts });
  game.replace(read);
  return true;
}
