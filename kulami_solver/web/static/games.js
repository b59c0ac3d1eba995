// The games that were played on this page, kept by the browser under "games", the newest first:
//
//   { id, game, hash, players, others, name, begun, changed, moves, over, totals, line }
//
// `hash` says the line that is shown; `line` adds comments, variations and later moves.
// The list is read anew before each change, so that tabs do not take each other's games away.
//
// Where the server keeps games, it has the list. A game kept here then waits until the server has it
// (`sent`), and stays here so that it goes on with its name.

import { by, make } from "./dom.js";
import { remember, remembered, t } from "./texts.js";
import { isLine, isText } from "./tree.js";

const KEPT = 300;
const LONGEST = { hash: 20000, name: 80, id: 40 }; // characters, in any entry that is accepted

document.head.append(make("link", { rel: "stylesheet", href: "static/games.css" }));

// Whether a value of any origin is an entry of the list.
export function isEntry(one) {
  return isText(one?.id, LONGEST.id) && isText(one.hash, LONGEST.hash) && one.hash.startsWith("#")
    && isText(one.name ?? "", LONGEST.name) && (one.line === undefined || isLine(one.line)) && Number.isFinite(one.changed) && Number.isFinite(one.begun)
    && [...by("which").options].some(({ value }) => value === one.game);
}

function read() {
  try {
    const found = JSON.parse(remembered("games") ?? "[]");
    return Array.isArray(found) ? found.filter(isEntry) : [];
  } catch {
    return [];
  }
}

// Drops the oldest games where the browser has no room for all.
function write(all) {
  const kept = all.sort((one, other) => other.changed - one.changed).slice(0, KEPT);
  while (!remember("games", JSON.stringify(kept)) && kept.length > 1) kept.length = Math.ceil(kept.length / 2);
}

// The entry of a game, if it is kept here.
export const keptAs = (name) => read().find(({ id }) => id === name);

// Describes an entry: which game is played; the date, the number of moves and the result.
export function described(one) {
  const title = [...by("which").options].find(({ value }) => value === one.game).textContent;
  const language = document.documentElement.lang;
  const date = new Date(one.begun).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
  const totals = Object.entries(one.totals ?? {}).flatMap(([side, count]) => [make("span", { class: `dot ${side}`, title: t(side) }), `${count} `]);
  return { title, words: [`${one.name ? `${title}, ` : ""}${date}, ${t("count_moves", { count: one.moves })} `, ...totals] };
}

// Opens a game in place of the one on the board, which is in the list as well. The opened game keeps
// its id.
export function openGame(table, one, ply = null) {
  const { ply: first, ...entry } = one;
  if (entry.sent) write([entry, ...read().filter(({ id }) => id !== entry.id)]);
  const link = ply === null ? entry.hash : `${entry.hash.replace(/&ply=\d+/, "")}&ply=${ply}`;
  history.pushState({ id: entry.id, players: entry.players, others: entry.others, values: table.values.on }, "", link);
  location.reload();
}

export class Games {
  constructor(table) {
    this.table = table;
    this.deleted = null;
    this.refused = ""; // why the server has not taken a game
    this.send();
  }

  // Sends to the server, if it keeps games, the games that it does not have. If the server is gone,
  // they stay here and are sent later.
  async send() {
    const keeper = await this.table.keeper().catch(() => null);
    this.refused = "";
    for (const one of keeper ? read().filter(({ sent }) => !sent) : []) {
      try {
        await keeper.keep(one);
      } catch (error) {
        this.refused = error.message;
        if (error.status !== 400) return;
        continue; // others may be taken
      }
      write(read().map((now) => (now.id === one.id && now.changed === one.changed && now.name === one.name ? { ...now, sent: true } : now)));
    }
  }

  // Keeps the game on the board as it is now. A new game is kept only after somebody has made a move
  // (`made`).
  note(made, tree) {
    const { id, game, kind, view, opponent: { players, others } } = this.table;
    const all = read();
    const before = all.find((one) => one.id === id);
    if (!before && !(made && game.moves.length)) return;
    const line = tree.besides(game.moves);
    if (line === null) this.table.notice("too_many_lines");
    const entry = {
      begun: Date.now(), name: "", ...before, id, players, others, game: kind.name, hash: game.hash,
      changed: Math.max(Date.now(), (before?.changed ?? 0) + 1), moves: game.moves.length, line: line === null ? before?.line : line, sent: undefined,
    };
    if (view.ply === game.moves.length) {
      const rows = kind.score(view);
      entry.over = view.over;
      entry.totals = view.over ? (rows.find(({ total }) => total) ?? rows.at(-1)).values : null;
    }
    write([entry, ...all.filter((one) => one !== before)]);
    this.send();
  }

  show() {
    this.dialog?.remove(); // it may be in another language
    this.make();
    this.deleted = null;
    this.draw();
    this.dialog.showModal();
  }

  make() {
    const button = (id, text, click) => make("button", { type: "button", id, click }, t(text));
    this.list = make("ol", { id: "games-list" });
    this.said = make("p", { class: "searched", role: "status" });
    const file = make("input", { type: "file", id: "games-file", accept: "application/json", hidden: true, change: () => this.takeUp(file) });
    this.dialog = make("dialog", { id: "games", "aria-labelledby": "games-title" },
      make("div", { class: "head" }, make("h2", { id: "games-title" }, t("my_games")),
        make("button", { type: "button", class: "icon", "data-close": "", "aria-label": t("close") }, "✕")),
      this.where = make("p", { class: "searched" }), this.list, this.said,
      make("div", { class: "row" }, this.more = button("games-more", "more_games", () => this.draw(this.shown)), button("games-save", "games_save", () => this.save()), button("games-load", "games_load", () => file.click()), file));
    document.body.append(this.dialog);
  }

  // Lists the games after the first `skip`: the server tells a limited number at a time.
  async draw(skip = 0) {
    this.more.hidden = true;
    const keeper = await this.keeper();
    const here = read().filter(({ sent }) => !keeper || !sent);
    const { games, count } = await this.tried(() => keeper?.list(skip)) ?? { games: [], count: 0 };
    if (here.length && this.refused) this.said.textContent = this.refused;
    this.where.textContent = t(keeper ? "games_kept_in_file" : "games_kept");
    this.shown = skip + games.length;
    this.more.hidden = this.shown >= count || !games.length;
    const known = new Set(here.map(({ id }) => id));
    const rows = games.filter((one) => isEntry(one) && !known.has(one.id)).map((one) => this.row(one));
    if (skip) return this.list.append(...rows);
    const gone = this.deleted && [make("li", { class: "gone" }, t("game_deleted"), " ",
      make("button", { type: "button", click: () => this.bringBack() }, t("bring_back")))];
    this.list.replaceChildren(...(gone ?? []), ...here.map((one) => this.row(one)), ...rows);
    if (!this.list.children.length) this.list.append(make("li", {}, t("no_games")));
    return undefined;
  }

  async keeper() {
    return this.tried(() => this.table.keeper());
  }

  // Returns the server's answer; null if it refuses or does not answer, with the reason shown.
  async tried(asking) {
    try {
      return await asking();
    } catch (error) {
      this.said.textContent = error.message;
      return null;
    }
  }

  row(one) {
    const { title, words } = described(one);
    const rename = ({ target }) => this.change(one, { name: target.value.trim().slice(0, LONGEST.name) });
    return make("li", { "data-game": one.id },
      make("input", { value: one.name ?? "", placeholder: title, "aria-label": t("game_name"), maxlength: LONGEST.name, change: rename }),
      make("p", { class: "searched" }, ...words),
      make("button", { type: "button", class: "open", click: () => openGame(this.table, one) }, t("open_game")),
      make("button", { type: "button", class: "icon delete", "aria-label": t("delete_game"), title: t("delete_game"), click: () => this.remove(one) }, "✕"));
  }

  async change(one, changes) {
    const keeper = await this.keeper();
    if (keeper && !await this.tried(() => keeper.keep({ ...one, ...changes }))) return;
    write(read().map((now) => (now.id === one.id ? { ...now, ...changes } : now)));
    await this.draw();
  }

  async remove(one) {
    const keeper = await this.keeper();
    if (keeper && !await this.tried(() => keeper.remove(one.id))) return;
    this.deleted = one;
    write(read().filter(({ id }) => id !== one.id));
    await this.draw();
    this.list.querySelector(".gone button").focus();
  }

  async bringBack() {
    write([{ ...this.deleted, sent: undefined }, ...read()]);
    this.deleted = null;
    await this.send();
    await this.draw();
  }

  async save() {
    const keeper = await this.keeper();
    const kept = await this.tried(() => keeper?.all()) ?? [];
    const games = [...kept, ...read().filter((one) => !kept.some(({ id }) => id === one.id))].map(({ sent, ...one }) => one);
    const content = new Blob([JSON.stringify({ games }, null, 1)], { type: "application/json" });
    const link = make("a", { href: URL.createObjectURL(content), download: "kulami-games.json" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    this.said.textContent = t("saved", { name: link.download });
  }

  // Takes the games of a file, and says how many. The version of a game that was changed last stays.
  async takeUp(file) {
    let found = [];
    try {
      found = JSON.parse(await file.files[0].text()).games.filter(isEntry);
    } catch {
      found = [];
    }
    file.value = "";
    if (!found.length) {
      this.said.textContent = t("no_games_file");
      return;
    }
    const keeper = await this.keeper();
    const there = keeper ? await this.tried(() => keeper.all()) : read();
    if (!there) return;
    const changed = new Map(there.map((one) => [one.id, one.changed]));
    found = found.filter((one) => !(changed.get(one.id) >= Math.floor(one.changed)));
    if (keeper) {
      for (const one of found) if (!await this.tried(() => keeper.keep(one))) return;
    } else {
      const all = new Map([...there, ...found].map((one) => [one.id, one]));
      write([...all.values()]);
    }
    this.said.textContent = t("games_taken_up", { count: found.length });
    await this.draw();
  }
}
