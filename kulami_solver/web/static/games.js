// My games: each game that is played here is kept, and listed in a dialog.
//
// The browser keeps them (kept.js). Where the server keeps games (keeper.js), it has the list. A game
// that the browser has then waits until the server has it, and stays here so that it goes on with its
// name. The games in which the position on the board came up, in any orientation, are found in both:
// on the line of their link, or on the line that is kept with it and its variations.

import { by, download, make, mark } from "./dom.js";
import { holding } from "./keeper.js";
import { all, browser, change, isEntry, isOthers, list, LONGEST, remove, version, waiting } from "./kept.js";
import { called } from "./opponent.js";
import { kindNamed, newId, Record } from "./record.js";
import { ask, file, tried } from "./server.js";
import { t } from "./texts.js";

const TOGETHER = 10; // games that one question to the server may have
const TOO_LARGE = ["too_much_kept", "long_body", "longer_body"]; // the server's refusals of a game
const here = { list, all }; // as keeper.js has them
const tab = newId(); // of this load of the page

// Describes an entry: which game is played, against which bots; the date as the reader writes it, the
// number of moves and the result.
function described(one, { levels }) {
  const title = [...by("which").options].find(({ value }) => value === one.game).textContent;
  const { lang } = document.documentElement;
  const way = navigator.languages.find((name) => name.startsWith(lang)) ?? lang;
  const bots = new Set([...Object.values(one.players ?? {}), one.others].filter((player) => player && player !== "human"));
  const result = one.over && one.winner !== undefined ? [one.winner ? t("side_wins", { side: t(one.winner) }) : t("draw")] : [];
  const totals = Object.entries(one.totals ?? {}).filter(([, count]) => typeof count === "number")
    .flatMap(([side, count]) => [make("span", { class: `dot ${side}`, title: t(side) }), `${count} `]);
  const words = [
    ...(one.name ? [title] : []), ...[...bots].map((bot) => t("against", { bot: called(bot, levels) })), ...result,
    new Date(one.begun).toLocaleString(way, { dateStyle: "medium", timeStyle: "short" }), t("count_moves", { count: one.moves }),
  ];
  return { title, words: [`${words.join(", ")} `, ...totals] };
}

// Draws the last position of each game whose picture comes into view.
const painter = new IntersectionObserver((seen) => {
  for (const { isIntersecting, target } of seen) {
    if (!isIntersecting) continue;
    painter.unobserve(target);
    target.paint().catch(() => {}); // a game that cannot be drawn has no picture
  }
});

function pictureOf({ hash }, kind) {
  const image = make("img", { alt: "", width: 72, height: 72, load: () => URL.revokeObjectURL(image.src) });
  image.paint = async () => {
    const { start, moves, counts } = new Record(kind).read(hash);
    image.src = URL.createObjectURL(await file(`/api/${kind.name}/picture`, { ...start, moves, ...counts }));
  };
  painter.observe(image);
  return image;
}

// The lines of moves of an entry: that of its link, then the line that is kept with it, each variation
// with the moves before it.
function* linesOf({ line }, moves) {
  yield moves;
  if (line) yield* linesFrom(line, []);
}

function* linesFrom({ moves, variations = {} }, before) {
  yield [...before, ...moves];
  for (const [number, lines] of Object.entries(variations)) {
    for (const one of lines) yield* linesFrom(one, [...before, ...moves.slice(0, number - 1)]);
  }
}

// The name of a button of a game's row: what it does, and to which game.
const named = (text, { name }, title) => `${t(text)}${t("colon")}${name || title}`;

// The button that opens a game, which the element with the id `about` describes.
function opener(table, one, { about, title, ply }) {
  return make("button", { type: "button", class: "open", "aria-label": named("open_game", one, title), "aria-describedby": about, click: () => openGame(table, one, ply) }, t("open_game"));
}

// The games among some in which a position came up: each with the `record` of the first line in which
// it did, at that ply. Asks no further once `goesOn` says no.
async function cameTo({ kind, asked }, games, goesOn = () => true) {
  const found = new Map();
  let some = [];
  const look = async () => {
    const lines = some.map(({ record: { start, moves, counts } }) => ({ ...start, moves, ...counts }));
    const { plies } = await ask(`/api/${kind.name}/holding`, { ...asked, games: lines });
    some.forEach(({ one, record }, place) => {
      const ply = plies[place];
      if (ply !== null && !found.has(one.id)) found.set(one.id, { one, record: { ...record, ply } });
    });
    some = [];
  };
  for (const one of games) {
    const record = one.game === kind.name && new Record(kind).read(one.hash);
    for (const moves of record ? linesOf(one, record.moves) : []) {
      if (!goesOn() || found.has(one.id)) break;
      if (some.push({ one, record: { ...record, moves } }) === TOGETHER) await look();
    }
  }
  if (some.length && goesOn()) await look();
  return [...found.values()];
}

// Opens a game in place of the one on the board, which is in the list as well. The opened game keeps
// its id. If the position on the board came up in it, after `ply` moves of a line, it opens there.
async function openGame(table, one, ply = null) {
  const { ply: first, ...entry } = one;
  const { kind } = table;
  let link = ply === null ? entry.hash : `${entry.hash.replace(/&ply=\d+/, "")}&ply=${ply}`;
  if (ply !== null && entry.line) {
    const [found] = await cameTo({ kind, asked: table.asked() }, [entry]).catch(() => []);
    if (found) link = Object.assign(new Record(kind), found.record).hash;
  }
  await (await table.games()).sending; // what was played here goes on in a copy
  await change(entry.id, (now) => (now?.changed >= entry.changed ? undefined : { seen: version(entry), ...entry })).catch(() => {}); // it opens all the same
  history.pushState({ id: entry.id, players: entry.players, others: entry.others, values: table.values.on }, "", link);
  location.reload();
}

// The games whose newer versions are not among others.
function without(others, games) {
  const known = new Set(others.map(({ id }) => id));
  return games.filter(({ id }) => !known.has(id));
}

export class Games {
  constructor(table) {
    this.table = table;
    this.deleted = null;
    this.refused = ""; // why the server has not taken a game
    this.large = null; // the game that is too large for the server, and the reader knows
    this.warned = false; // whether the browser does not keep the game on the board, and the reader knows
    this.drawing = 0; // counts the lists that were drawn
    this.copies = new Map(); // the ids of copies, by the id and the version that they went on from
    this.sending = null; // a promise, once games have been sent
    this.send();
  }

  // Sends to the server, if it keeps games, the games that it does not have. If the server is gone,
  // they stay here and are sent later. One sending follows the other, so that none makes a second copy.
  send() {
    this.sending = Promise.resolve(this.sending).then(() => this.sendAll());
  }

  async sendAll() {
    const keeper = await this.table.keeper().catch(() => null);
    this.refused = "";
    for (const one of keeper ? await waiting().catch(() => []) : []) {
      try {
        await this.hand(keeper, one);
      } catch (error) {
        this.refused = error.message;
        if (error.status < 400 || error.status >= 500) return;
        if (one.id === this.table.id && this.large !== one.id && TOO_LARGE.includes(error.said?.code)) {
          this.large = one.id;
          this.table.notice("too_large");
        }
      }
    }
  }

  // Hands a game on to the server. What another browser has played in it there stays, and what was
  // played here goes on in a copy.
  async hand(keeper, one) {
    let { name } = one;
    let { game } = await keeper.keep(one, one.seen);
    // It was named or looked at elsewhere, or the last answer was lost.
    if (game && (game.browser === browser || version(game) === one.seen)) {
      name ||= game.name;
      ({ game } = await keeper.keep({ ...one, name }, game.changed));
    }
    if (game?.browser === browser) return undefined; // another tab was quicker
    const same = (now) => now?.changed === one.changed && now.name === one.name;
    if (!game) return change(one.id, (now) => now && { ...now, name: now.name || name, seen: version(one), ...(same(now) && { waiting: undefined }) });
    let copy = null;
    if (one.browser === browser) {
      copy = await change(one.id, (now) => (same(now) ? { ...now, id: newId() } : undefined));
      if (!copy) return undefined; // it has gone on meanwhile: that is handed on next
      this.copies.set(`${one.id} ${version(one)}`, copy.id);
      this.goOn(one.id, copy);
    }
    await change(one.id, (now) => (same(now) ? { ...game, seen: version(game) } : undefined));
    return copy && this.hand(keeper, copy);
  }

  // Keeps a game as it is `now`, a new one only if somebody has made a move (`made`). Returns its entry;
  // undefined if there is none. What another tab has played in it stays: the move is made in a copy.
  async note(now, made) {
    const { table: { kept: known }, copies } = this;
    Object.assign(now, { tab, browser, read: known?.id === now.id ? version(known) : 0 });
    const noted = (before) => {
      const others = isOthers(before, now);
      if (!made && (others || !before)) return undefined; // somebody only looks
      const changed = Math.max(now.changed, (before?.changed ?? 0) + 1);
      const after = { begun: now.changed, name: "", ...before, ...now, changed, played: changed };
      if (!made && before.moves === now.moves) Object.assign(after, { tab: before.tab, browser: before.browser, played: before.played });
      if (!others) return after;
      const from = `${now.id} ${now.read}`;
      if (!copies.has(from)) copies.set(from, newId());
      return { ...after, id: copies.get(from) };
    };
    try {
      const kept = await change(now.id, noted);
      if (!kept) return undefined;
      if (kept.id !== now.id) this.goOn(now.id, kept);
      this.warned = false;
      this.send();
      return kept;
    } catch (error) {
      if (!this.warned) this.table.notice(error.said.code);
      this.warned = true;
      return undefined;
    }
  }

  // Goes on in a copy of the game on the board.
  goOn(id, copy) {
    const { table, table: { list } } = this;
    if (table.id !== id) return;
    if (list?.id === id) list.id = copy.id;
    Object.assign(table, { id: copy.id, kept: copy });
    table.keep();
  }

  show() {
    this.dialog?.remove(); // it may be in another language
    this.make();
    this.deleted = null;
    if (this.refused) this.send(); // the server may be back
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
      this.where = make("p", { class: "searched" }), this.search = make("input", { type: "search", id: "games-search", "aria-label": t("search_games"), placeholder: t("search_games"), input: () => this.draw() }),
      make("label", { class: "check" }, this.alike = make("input", { type: "checkbox", id: "games-alike", change: () => this.draw() }), t("games_here")), this.list, this.said,
      make("div", { class: "row" }, this.more = button("games-more", "more_games", () => this.draw(this.shown)), button("games-save", "games_save", () => this.save()), button("games-load", "games_load", () => file.click()), file));
    document.body.append(this.dialog);
  }

  // Lists the games after the first `skip`: a limited number at a time, or all in which the sought
  // words are found or the position on the board came up.
  async draw(skip = 0) {
    const number = ++this.drawing;
    this.list.ariaBusy = "true";
    this.more.hidden = true;
    const sought = this.search.value.trim().toLowerCase();
    const keeper = await this.keeper();
    await this.sending;
    const alike = this.alike.checked;
    const late = keeper && !skip ? await this.tried(waiting) ?? [] : [];
    const none = { games: [], count: 0, next: skip };
    if (alike) this.said.textContent = t("searching");
    const found = await this.tried(async () => (sought || alike ? { ...none, games: await (alike ? this.holding(keeper, late, number) : (keeper ?? here).all()) }
      : (keeper ?? here).list(skip)));
    const { games, count, next } = found ?? none;
    const kinds = new Map();
    for (const { game } of [...late, ...games].filter(isEntry)) if (!kinds.has(game)) kinds.set(game, await kindNamed(game));
    if (number !== this.drawing) return undefined;
    this.list.ariaBusy = "false";
    if (this.said.textContent === t("searching")) this.said.textContent = "";
    if (late.length && this.refused) this.said.textContent = this.refused;
    if (this.warned) this.said.textContent = t("not_kept");
    this.where.hidden = !found;
    this.where.textContent = t(keeper ? "games_kept_in_file" : "games_kept");
    this.shown = next;
    this.more.hidden = next >= count || next === skip;
    const listed = alike ? games : without(late, games);
    const rows = [...(alike ? [] : late), ...listed.filter(isEntry)].map(({ ply, ...one }) => this.row(one, kinds.get(one.game), ply))
      .filter((row) => `${row.querySelector("input").value} ${row.querySelector("input").placeholder} ${row.textContent}`.toLowerCase().includes(sought));
    this.missing = sought || alike ? 0 : (skip ? this.missing : 0) + next - skip - games.filter(isEntry).length;
    if (this.missing > 0) this.said.textContent = t("games_left_out", { count: this.missing });
    if (skip) return this.list.append(...rows);
    const gone = this.deleted && [make("li", { class: "gone" }, t("game_deleted"), " ",
      make("button", { type: "button", click: () => this.bringBack() }, t("bring_back")))];
    this.list.replaceChildren(...(gone ?? []), ...rows);
    if (found && !this.list.children.length) this.list.append(make("li", {}, t("no_games")));
    return undefined;
  }

  async keeper() {
    return this.tried(() => this.table.keeper());
  }

  // Returns the server's answer; undefined if it refuses or does not answer, with the reason shown.
  tried(asking) {
    return tried(asking, this.said);
  }

  // Changes the browser's own copy of a game, without which a server that keeps games does. Returns
  // whether all is well.
  async triedHere(keeper, asking) {
    return keeper ? asking().then(() => true, () => true) : this.tried(() => asking().then(() => true));
  }

  keep(keeper, one) {
    return keeper ? keeper.keep(one) : change(one.id, () => ({ ...one, waiting: 1 }));
  }

  // The games in which the position on the board came up, each with the `ply` of the first time, unless
  // they are not to be listed any more. Of the games that the server keeps, some that it does not have
  // yet may be `late`.
  async holding(keeper, late, number) {
    const { kind } = this.table;
    const asked = this.table.asked();
    const own = await cameTo({ kind, asked }, keeper ? late : await all(), () => number === this.drawing && this.dialog.open);
    const there = keeper ? without(late, await keeper.holding(kind, asked)) : [];
    return [...own.map(({ one, record: { ply } }) => ({ ...one, ply })), ...there];
  }

  row(one, kind, ply) {
    const { title, words } = described(one, kind);
    const about = `about-${one.id}`;
    const rename = ({ target }) => this.change(one, { name: target.value.trim().slice(0, LONGEST.name) });
    return make("li", { "data-game": one.id }, pictureOf(one, kind),
      make("input", { value: one.name ?? "", placeholder: title, "aria-label": t("game_name"), "aria-describedby": about, maxlength: LONGEST.name, change: rename }),
      make("p", { class: "searched", id: about }, ...words),
      opener(this.table, one, { about, title, ply }),
      make("button", { type: "button", class: "icon delete", "aria-label": named("delete_game", one, title), "aria-describedby": about, title: t("delete_game"), click: () => this.remove(one) }, "✕"));
  }

  async change(one, changes) {
    const after = { ...one, ...changes, changed: one.changed + 1 };
    await this.surely(after, async () => {
      const keeper = await this.keeper();
      if (keeper && !await this.tried(() => keeper.keep(after))) return;
      await this.triedHere(keeper, () => change(one.id, (now) => now && { ...now, ...changes, changed: Math.max(now.changed, after.changed) }));
    });
    await this.draw();
  }

  // Does what keeps an entry. If the page is left meanwhile, the entry is kept all the same.
  async surely(entry, keeping) {
    const { coming } = this.table;
    coming.set(entry.id, entry);
    await keeping();
    if (coming.get(entry.id) === entry) coming.delete(entry.id);
  }

  async remove(one) {
    const keeper = await this.keeper();
    if (keeper && !await this.tried(() => keeper.remove(one.id))) return;
    if (await this.triedHere(keeper, () => remove(one.id))) this.deleted = one;
    await this.draw();
    this.list.querySelector(".gone button")?.focus();
  }

  async bringBack() {
    const { deleted } = this;
    await this.surely(deleted, async () => {
      const keeper = await this.keeper();
      if (!await this.tried(() => this.keep(keeper, deleted))) return;
      if (keeper) await change(deleted.id, () => deleted).catch(() => {});
      this.deleted = null;
    });
    await this.draw();
  }

  async save() {
    const keeper = await this.keeper();
    const kept = await this.tried(() => keeper?.all()) ?? [];
    const own = await this.tried(all) ?? [];
    const games = [...kept, ...own.filter((one) => !kept.some(({ id }) => id === one.id))].map(({ waiting: known, seen, ...one }) => one);
    const content = new Blob([JSON.stringify({ games }, null, 1)], { type: "application/json" });
    download(content, "kulami-games.json");
    this.said.textContent = t("saved", { name: "kulami-games.json" });
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
    const there = await this.tried(() => (keeper ?? here).all());
    if (!there) return;
    const changed = new Map(there.map((one) => [one.id, one.changed]));
    found = found.filter((one) => !(changed.get(one.id) >= Math.floor(one.changed)));
    for (const one of found) if (!await this.tried(() => this.keep(keeper, one))) return;
    this.said.textContent = t("games_taken_up", { count: found.length });
    await this.draw();
  }
}

// The games kept by the server with the position on the board.
export class Found {
  constructor(table) {
    this.table = table;
    this.title = make("h2", { id: "found-title" });
    this.list = make("ol", { id: "found", class: "found" });
    this.card = make("section", { class: "card", "aria-labelledby": "found-title", "data-role": "found", hidden: true }, this.title, this.list);
    by("side").append(this.card);
    this.update();
  }

  async update() {
    const { table } = this;
    this.asking?.abort();
    const { signal } = this.asking = new AbortController();
    this.title.textContent = t("games_here");
    mark(this.list, "aria-busy", "true");
    try {
      const games = (await holding(table.kind, table.asked(), signal)).filter((one) => isEntry(one) && one.id !== table.id);
      this.list.replaceChildren(...games.map((one) => this.row(one)));
    } catch (error) {
      if (error.name === "AbortError") return;
      this.list.replaceChildren(make("li", { class: "searched" }, error.message));
    }
    this.card.hidden = !this.list.children.length;
    mark(this.list, "aria-busy", null);
  }

  row(one) {
    const { title, words } = described(one, this.table.kind);
    const about = `found-${one.id}`;
    return make("li", { "data-game": one.id }, make("p", {}, one.name || title, " ", make("span", { class: "searched", id: about }, ...words)),
      opener(this.table, one, { about, title, ply: one.ply }));
  }
}
