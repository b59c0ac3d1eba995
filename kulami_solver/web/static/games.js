// My games: each game that is played here is kept by the browser (kept.js), and listed in a dialog.

import { by, download, make } from "./dom.js";
import { all, change, isEntry, isOthers, list, LONGEST, remove, version } from "./kept.js";
import { called } from "./opponent.js";
import { kindNamed, newId, Record } from "./record.js";
import { file, tried } from "./server.js";
import { t } from "./texts.js";

const tab = newId(); // of this load of the page

// Describes an entry: which game is played, against which bots; the date as the reader writes it, the
// number of moves and the result.
function described(one, { levels, seats }) {
  const title = [...by("which").options].find(({ value }) => value === one.game).textContent;
  const { lang } = document.documentElement;
  const way = navigator.languages.find((name) => name.startsWith(lang)) ?? lang;
  const bots = new Set([...Object.values(one.players ?? {}), one.others].filter((player) => player && player !== "human"));
  const result = one.over && [null, ...seats].includes(one.winner) ? [one.winner ? t("side_wins", { side: t(one.winner) }) : t("draw")] : [];
  const totals = Object.entries(one.totals ?? {}).filter(([side, count]) => seats.includes(side) && typeof count === "number")
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

// The name of a button of a game's row: what it does, and to which game.
const named = (text, { name }, title) => `${t(text)}${t("colon")}${name || title}`;

// Opens a game in place of the one on the board, which is in the list as well. The opened game keeps
// its id.
function openGame({ values }, { id, hash, players, others }) {
  history.pushState({ id, players, others, values: values.on }, "", hash);
  location.reload();
}

export class Games {
  constructor(table) {
    this.table = table;
    this.deleted = null;
    this.warned = false; // whether the browser does not keep the game on the board, and the reader knows
    this.drawing = 0; // counts the lists that were drawn
    this.copies = new Map(); // the ids of copies, by the id and the version that they went on from
  }

  // Keeps a game as it is `now`, a new one only if somebody has made a move (`made`). Returns its entry;
  // undefined if there is none. What another tab has played in it stays: the move is made in a copy.
  async note(now, made) {
    const { table: { kept: known }, copies } = this;
    Object.assign(now, { tab, read: known?.id === now.id ? version(known) : 0 });
    const noted = (before) => {
      const others = isOthers(before, now);
      if (!made && (others || !before)) return undefined; // somebody only looks
      const changed = Math.max(now.changed, (before?.changed ?? 0) + 1);
      const after = { begun: now.changed, name: "", ...before, ...now, changed, played: changed };
      if (!made && before.moves === now.moves) Object.assign(after, { tab: before.tab, played: before.played });
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
      this.where = make("p", { class: "searched" }, t("games_kept")), this.search = make("input", { type: "search", id: "games-search", "aria-label": t("search_games"), placeholder: t("search_games"), input: () => this.draw() }),
      this.list, this.said,
      make("div", { class: "row" }, this.more = button("games-more", "more_games", () => this.draw(this.shown)), button("games-save", "games_save", () => this.save()), button("games-load", "games_load", () => file.click()), file));
    document.body.append(this.dialog);
  }

  // Lists the games after the first `skip`: a limited number at a time, or all in which the sought
  // words are found.
  async draw(skip = 0) {
    const number = ++this.drawing;
    this.list.ariaBusy = "true";
    this.more.hidden = true;
    const sought = this.search.value.trim().toLowerCase();
    const none = { games: [], count: 0, next: skip };
    const found = await this.tried(async () => (sought ? { ...none, games: await all() } : list(skip)));
    const { games, count, next } = found ?? none;
    const kinds = new Map();
    for (const { game } of games) if (!kinds.has(game)) kinds.set(game, await kindNamed(game).catch(() => null));
    if (number !== this.drawing) return undefined;
    this.list.ariaBusy = "false";
    if (this.warned) this.said.textContent = t("not_kept");
    this.where.hidden = !found;
    this.shown = next;
    this.more.hidden = next >= count || next === skip;
    const rows = games.map((one) => this.row(one, kinds.get(one.game)))
      .filter((row) => `${row.querySelector("input").value} ${row.querySelector("input").placeholder} ${row.textContent}`.toLowerCase().includes(sought));
    this.missing = sought ? 0 : (skip ? this.missing : 0) + next - skip - games.length;
    if (this.missing > 0) this.said.textContent = t("games_left_out", { count: this.missing });
    if (skip) return this.list.append(...rows);
    const gone = this.deleted && [make("li", { class: "gone" }, t("game_deleted"), " ",
      make("button", { type: "button", click: () => this.bringBack() }, t("bring_back")))];
    this.list.replaceChildren(...(gone ?? []), ...rows);
    if (found && !this.list.children.length) this.list.append(make("li", {}, t("no_games")));
    return undefined;
  }

  // Returns the result; undefined if the browser refuses, with the reason shown.
  tried(asking) {
    return tried(asking, this.said);
  }

  // A row that cannot be made is a damaged one, which can be deleted, and takes no other with it.
  row(one, kind) {
    let [title, words, picture] = [t("games_left_out", { count: 1 }), [], null];
    try {
      ({ title, words } = described(one, kind));
      picture = pictureOf(one, kind);
    } catch {
      words = [title];
    }
    const about = `about-${one.id}`;
    const rename = ({ target }) => this.change(one, { name: target.value.trim().slice(0, LONGEST.name) });
    return make("li", { "data-game": one.id }, picture ?? "",
      make("input", { value: one.name ?? "", placeholder: title, "aria-label": t("game_name"), "aria-describedby": about, maxlength: LONGEST.name, change: rename }),
      make("p", { class: "searched", id: about }, ...words),
      make("button", { type: "button", class: "open", hidden: !picture, "aria-label": named("open_game", one, title), "aria-describedby": about, click: () => openGame(this.table, one) }, t("open_game")),
      make("button", { type: "button", class: "icon delete", "aria-label": named("delete_game", one, title), "aria-describedby": about, title: t("delete_game"), click: () => this.remove(one) }, "✕"));
  }

  async change(one, changes) {
    const after = { ...one, ...changes, changed: one.changed + 1 };
    await this.surely(after, () => this.tried(() => change(one.id, (now) => now && { ...now, ...changes, changed: Math.max(now.changed, after.changed) })));
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
    await this.tried(async () => {
      await remove(one.id);
      this.deleted = one;
    });
    await this.draw();
    this.list.querySelector(".gone button")?.focus();
  }

  async bringBack() {
    const { deleted } = this;
    await this.surely(deleted, () => this.tried(async () => {
      await change(deleted.id, () => deleted);
      this.deleted = null;
    }));
    await this.draw();
  }

  async save() {
    const games = await this.tried(all) ?? [];
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
    const there = await this.tried(all);
    if (!there) return;
    const changed = new Map(there.map((one) => [one.id, one.changed]));
    found = found.filter((one) => !(changed.get(one.id) >= one.changed));
    for (const one of found) if (!await this.tried(() => change(one.id, () => one))) return;
    this.said.textContent = t("games_taken_up", { count: found.length });
    await this.draw();
  }
}
