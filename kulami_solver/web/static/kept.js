// The games that were played on this page, kept by the browser in IndexedDB:
//
//   { id, game, hash, players, others, name, begun, changed, moves, over, winner, totals, line,
//     tab, played, read }
//
// `hash` says the line that is shown; `line` adds comments, variations and later moves. `tab` names the
// load of the page that played last, and `played` is when: the game has been renamed since if it was
// `changed` later. `read` is `played` of the version that this load of the page had read.
//
// Each change is one transaction, so that tabs do not take each other's games away. Where two play on
// in one game, the later one goes on in a copy. Nothing is deleted to make room: what the browser does
// not take is refused. A page that is left before the database has a game puts it into localStorage,
// where it stays until the database has it.

import { by } from "./dom.js";
import { newId } from "./record.js";
import { Refusal } from "./server.js";
import { recalled, remember, stored } from "./texts.js";
import { isLine, isObject, isText } from "./tree.js";

const LISTED = 100;
export const LONGEST = { hash: 20000, name: 80, player: 40 }; // characters, in any entry that is accepted
const LATEST = 1e15; // milliseconds

const isTime = (value) => Number.isFinite(value) && value >= 0 && value <= LATEST;
const isPlayer = (value) => isText(value, LONGEST.player);

// Whether a value of any origin is an entry of the list.
export function isEntry(one) {
  return isText(one?.id, 40) && /^[\w-]+$/.test(one.id) && isText(one.hash, LONGEST.hash) && one.hash.startsWith("#")
    && isText(one.name ?? "", LONGEST.name) && (one.line === undefined || isLine(one.line)) && isTime(one.changed) && isTime(one.begun)
    && isObject(one.players ?? {}) && Object.values(one.players ?? {}).every(isPlayer) && isPlayer(one.others ?? "")
    && isPlayer(one.winner ?? "") && [one.moves, one.read].every((value) => isTime(value ?? 0))
    && [...by("which").options].some(({ value }) => value === one.game);
}

// The version of a game, which no new name changes.
export const version = ({ played, changed }) => played ?? changed;

// Whether another tab has played on in a game since the tab of an entry has read it.
export const isOthers = (before, { tab, read }) => before && read !== undefined && before.tab !== tab && version(before) !== read;

let ready = null; // a promise of the open database
let asked = false; // whether the browser has been asked to keep what the page stores

const promised = (request) => new Promise((done, failed) => {
  request.onsuccess = () => done(request.result);
  request.onerror = () => failed(request.error);
});

// Does some work on the games of the database; fulfilled when the changes are stored.
async function transact(base, mode, work) {
  const transaction = base.transaction("games", mode);
  const ended = new Promise((done, failed) => {
    transaction.oncomplete = done;
    transaction.onabort = () => failed(transaction.error);
  });
  const [result] = await Promise.all([work(transaction.objectStore("games")), ended]);
  return result;
}

async function open() {
  const request = indexedDB.open(stored("kulami"));
  request.onupgradeneeded = () => request.result.createObjectStore("games", { keyPath: "id" }).createIndex("changed", "changed");
  const base = await promised(request);
  base.onclose = () => { ready = null; };
  base.onversionchange = () => {
    base.close();
    ready = null;
  };
  await takeOver(base).catch(() => {}); // there is no room: they stay where they are
  return base;
}

async function within(mode, work) {
  try {
    ready ??= open();
    return await transact(await ready, mode, work);
  } catch (error) {
    ready = null; // try again later
    throw new Refusal({ code: "not_kept", error: String(error) }, 0);
  }
}

// The games in localStorage, among other values that are no entries.
const left = () => recalled("games", Array.isArray) ?? [];

// Removes games from localStorage, unless another tab has left later versions there meanwhile.
function takeAway(games) {
  const all = left();
  const others = all.filter((one) => !games.some(({ id, changed }) => id === one?.id && changed >= one.changed));
  if (others.length < all.length) remember("games", JSON.stringify(others));
}

async function takeOver(base) {
  const found = left().filter(isEntry);
  if (!found.length) return;
  await transact(base, "readwrite", async (games) => {
    for (const one of found) {
      const before = await promised(games.get(one.id));
      // A page that was left may not have known when the game was begun, its name and its line.
      const { begun } = before ?? one;
      const entry = { name: "", ...before, ...one, begun, tab: one.tab };
      if (isOthers(before, one)) games.put({ ...entry, id: newId() });
      else if (!(before?.changed >= one.changed)) games.put(entry);
    }
  });
  takeAway(found);
}

// Replaces a game by what `made` returns for it, or leaves it if that is undefined or has another id;
// returns the new one.
export async function change(id, made) {
  const after = await within("readwrite", async (games) => {
    const before = await promised(games.get(id)) ?? left().find((one) => isEntry(one) && one.id === id);
    const found = made(before);
    if (found) games.put(found);
    games.transaction.commit();
    return found;
  });
  if (!after) return after;
  takeAway([{ ...after, id }]);
  if (!asked) navigator.storage?.persist?.().catch(() => {});
  asked = true;
  return after;
}

export async function remove(id) {
  await within("readwrite", (games) => promised(games.delete(id)));
  takeAway([{ id, changed: Infinity }]);
}

const read = (work) => within("readonly", work);

// The entry of a game, if it is kept here.
export async function keptAs(id) {
  const found = await read((games) => promised(games.get(id)));
  return [found, ...left()].find((one) => isEntry(one) && one.id === id);
}

// Games, the newest first, after `skip` others; the number of all games, and where to go on.
export async function list(skip = 0, most = LISTED) {
  const reading = read(async (games) => ({ found: await newest(games, skip, most), count: await promised(games.count()) }));
  const refused = await reading.then(() => null, (error) => error);
  const waiting = skip ? [] : left().filter(isEntry); // those that the database could not take
  if (refused && !waiting.length) throw refused;
  const { found, count } = refused ? { found: [], count: 0 } : await reading;
  const here = found.filter((one) => isEntry(one) && !waiting.some(({ id }) => id === one.id));
  return { games: [...waiting, ...here], count, next: skip + found.length };
}

const newest = (games, skip, most) => new Promise((done, failed) => {
  const found = [];
  const request = games.index("changed").openCursor(null, "prev");
  let ahead = skip;
  request.onerror = () => failed(request.error);
  request.onsuccess = () => {
    const at = request.result;
    if (!at || found.length === most) return done(found);
    if (ahead) {
      at.advance(ahead);
      ahead = 0;
      return undefined;
    }
    found.push(at.value);
    return at.continue();
  };
});

export const all = async () => (await list(0, Infinity)).games;
