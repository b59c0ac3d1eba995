// The games that were played on this page, kept by the browser under "games", the newest first:
//
//   { id, game, hash, players, others, name, begun, changed, moves, over, totals }
//
// The list is read anew before each change, so that tabs do not take each other's games away.

import { by, make } from "./dom.js";
import { remember, remembered, t } from "./texts.js";

const KEPT = 300;
const LONGEST = { hash: 20000, name: 80, id: 40 }; // characters of what is taken up from a file

const isText = (value, most) => typeof value === "string" && value.length <= most;

// Whether something is an entry of the list, wherever it comes from.
function isEntry(one) {
  return isText(one?.id, LONGEST.id) && isText(one.hash, LONGEST.hash) && one.hash.startsWith("#")
    && isText(one.name ?? "", LONGEST.name) && Number.isFinite(one.changed) && Number.isFinite(one.begun)
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

function write(all) {
  all.sort((one, other) => other.changed - one.changed);
  remember("games", JSON.stringify(all.slice(0, KEPT)));
}

export class Games {
  constructor(table) {
    this.table = table;
    this.deleted = null;
    document.head.append(make("link", { rel: "stylesheet", href: "static/games.css" }));
  }

  // Keeps the game on the board as it is now. One that nobody has played a move in is not kept
  // before that (`made`).
  note(made) {
    const { id, game, kind, view, opponent: { players, others } } = this.table;
    const all = read();
    const before = all.find((one) => one.id === id);
    if (!game.moves.length || (!before && !made)) return;
    const entry = {
      begun: Date.now(), name: "", ...before, id, players, others, game: kind.name, hash: game.hash,
      changed: Date.now(), moves: game.moves.length,
    };
    if (view.ply === game.moves.length) {
      const rows = kind.score(view);
      entry.over = view.over;
      entry.totals = view.over ? (rows.find(({ total }) => total) ?? rows.at(-1)).values : null;
    }
    write([entry, ...all.filter((one) => one !== before)]);
  }

  show() {
    this.dialog?.remove(); // in another language, maybe
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
      make("p", { class: "searched" }, t("games_kept")), this.list, this.said,
      make("div", { class: "row" }, button("games-save", "games_save", () => this.save()), button("games-load", "games_load", () => file.click()), file));
    document.body.append(this.dialog);
  }

  draw() {
    const all = read();
    const gone = this.deleted && [make("li", { class: "gone" }, t("game_deleted"), " ",
      make("button", { type: "button", click: () => this.bringBack() }, t("bring_back")))];
    this.list.replaceChildren(...(gone ?? []), ...all.map((one) => this.row(one)));
    if (!all.length && !gone) this.list.append(make("li", {}, t("no_games")));
  }

  row(one) {
    const title = [...by("which").options].find(({ value }) => value === one.game).textContent;
    const language = document.documentElement.lang;
    const date = new Date(one.begun).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
    const rename = ({ target }) => this.change(one.id, { name: target.value.trim().slice(0, LONGEST.name) });
    const totals = Object.entries(one.totals ?? {}).flatMap(([side, count]) => [make("span", { class: `dot ${side}`, title: t(side) }), `${count} `]);
    return make("li", { "data-game": one.id },
      make("input", { value: one.name, placeholder: title, "aria-label": t("game_name"), maxlength: LONGEST.name, change: rename }),
      make("p", { class: "searched" }, `${one.name ? `${title}, ` : ""}${date}, ${t("count_moves", { count: one.moves })} `, ...totals),
      make("button", { type: "button", class: "open", click: () => this.open(one) }, t("open_game")),
      make("button", { type: "button", class: "icon delete", "aria-label": t("delete_game"), title: t("delete_game"), click: () => this.remove(one) }, "✕"));
  }

  change(id, changes) {
    write(read().map((one) => (one.id === id ? { ...one, ...changes } : one)));
    this.draw();
  }

  remove(one) {
    this.deleted = one;
    write(read().filter(({ id }) => id !== one.id));
    this.draw();
    this.list.querySelector(".gone button").focus();
  }

  bringBack() {
    write([this.deleted, ...read()]);
    this.deleted = null;
    this.draw();
  }

  // The game takes the place of the one on the board, which the list has as well.
  open({ id, hash, players, others }) {
    history.pushState({ id, players, others, values: this.table.values.on }, "", hash);
    location.reload();
  }

  save() {
    const content = new Blob([JSON.stringify({ games: read() }, null, 1)], { type: "application/json" });
    const link = make("a", { href: URL.createObjectURL(content), download: "kulami-games.json" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    this.said.textContent = t("saved", { name: link.download });
  }

  // Of a game that is there already, the one that was changed last stays.
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
    const all = new Map(read().map((one) => [one.id, one]));
    for (const one of found) {
      if (!(all.get(one.id)?.changed >= one.changed)) all.set(one.id, one);
    }
    write([...all.values()]);
    this.said.textContent = t("games_taken_up", { count: found.length });
    this.draw();
  }
}
