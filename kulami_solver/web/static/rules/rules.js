// The rules of a game, on a page of their own, rules/NAME/. The game's rules/page.json says what is
// on it:
//
//   facts        the numbers and fields that stand in {braces} in its texts
//   positions    by name: `start`, `moves` and `counts`, as a link has them, and what to `show`
//   sections     a `name`, and parts: {text}, {head}, {list}, {table}, {position}
//
// Each position can be tried: a click is a question to the server, and its answer stands below the
// board. No rule is written here.

import { by, make } from "../dom.js";
import { Record, USUAL } from "../record.js";
import { ask } from "../server.js";
import { capital, chooseLanguage, installTheme, t } from "../texts.js";

const name = /\/rules\/(\w+)\//.exec(location.pathname)[1];
const page = "../../"; // where the game is played

// Facts as the reader's language writes them.
function written(facts) {
  const language = document.documentElement.lang;
  const list = new Intl.ListFormat(language === "en" ? "en-GB" : language, { type: "conjunction" });
  const one = (fact) => (typeof fact === "number" ? fact.toLocaleString(language) : fact);
  return Object.fromEntries(Object.entries(facts).map(([key, fact]) => [key, Array.isArray(fact) ? list.format(fact.map(String)) : one(fact)]));
}

// A text in which *stars* mark a word that it explains.
function phrase(text) {
  return capital(text).split("*").map((part, place) => (place % 2 ? make("dfn", {}, part) : part));
}

class Position {
  constructor(kind, { start, moves = [], counts = {} }) {
    this.kind = kind;
    this.record = new Record(kind);
    Object.assign(this.record, { start, moves, ply: moves.length });
    Object.assign(this.record.counts, counts);
  }

  asked(...more) {
    const open = this.kind.hides ? { see: this.kind.seats } : {};
    return { ...this.record.asked(this.record.ply, ...more), ...open };
  }

  // Draws the position; the answer to each click stands below it.
  async draw(host, answer) {
    const { kind, record } = this;
    const put = (mark, text) => {
      answer.className = `answer ${mark}`;
      answer.textContent = capital(text);
    };
    try {
      this.view ??= ask(`/api/${kind.name}/position`, this.asked());
      const [view, wood] = await Promise.all([this.view, kind.wood?.(record)]);
      const board = kind.makeBoard(host, {
        named: kind.named,
        refuse: (text) => put("no", text),
        picked(moves) {
          const said = moves.map((move) => kind.moveWords?.(move) ?? move).join(" · ");
          if (moves.length && moves.length < view.legal.length) put("on", t("go_on", { moves: said }));
        },
        choose: async (move) => {
          try {
            await ask(`/api/${kind.name}/position`, this.asked(move));
            put("yes", t("may_play", { side: t(view.turn), move }));
          } catch (error) {
            put("no", error.reason);
          }
          board.show(view);
        },
      });
      board.build(wood ?? view, t("board"));
      board.show(view);
    } catch (error) {
      this.view = null; // the server is gone: try again later
      put("no", error.message);
    }
  }
}

class Page {
  constructor(kind, { facts, positions, sections }) {
    Object.assign(this, { facts, sections });
    this.positions = new Map(Object.entries(positions).map(([id, said]) => [id, { said, position: new Position(kind, said) }]));
  }

  text(key) {
    return phrase(t(key, this.written));
  }

  draw() {
    this.written = written(this.facts);
    by("rules").replaceChildren(...this.sections.map((section) => make("section", { id: `rules-${section.name}`, "aria-labelledby": `title-${section.name}` },
      make("h2", { id: `title-${section.name}` }, t(`section_${section.name}`)),
      ...section.parts.flatMap((part) => this.part(part)))));
    this.drawPositions();
  }

  // Draws one position after the other: the next is often on the same board, which is asked for once.
  async drawPositions() {
    const { written: begun } = this;
    for (const [id, { position }] of this.positions) {
      if (this.written !== begun) return; // all is being drawn again, in another language
      await position.draw(by(`board-${id}`), by(`answer-${id}`));
    }
  }

  part({ head, text, list, table, position }) {
    if (head) return [make("h3", {}, ...this.text(head))];
    if (list) return [make("ol", {}, ...list.map((key) => make("li", {}, ...this.text(key))))];
    if (table) return [this.table(table)];
    if (position) return [this.figure(position)];
    return [make("p", {}, ...this.text(text))];
  }

  figure(id) {
    const { said, position } = this.positions.get(id);
    const shown = (said.show ?? []).map((part) => ` show-${part}`).join("");
    return make("figure", { id: `position-${id}`, "aria-labelledby": `caption-${id}` },
      make("figcaption", { id: `caption-${id}` }, ...this.text(id)),
      make("div", { id: `board-${id}`, class: `board${shown}` }),
      make("p", { id: `answer-${id}`, class: "answer", role: "status" }, said.show ? "" : t("try_it")),
      make("a", { class: "open", href: `${page}${position.record.hash}` }, t("open_position")));
  }

  // Cells are names of facts or of texts; the first row and the first cell of each row are heads.
  table([heads, ...rows]) {
    const cell = (one) => (one in this.facts ? [this.written[one]] : this.text(one));
    return make("table", { class: "score" },
      make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, ...cell(head))))),
      make("tbody", {}, ...rows.map(([head, ...cells]) => make("tr", {}, make("th", { scope: "row" }, ...cell(head)), ...cells.map((one) => make("td", {}, ...cell(one)))))));
  }
}

async function main() {
  installTheme();
  document.head.append(make("link", { rel: "stylesheet", href: new URL(`../${name}/style.css`, import.meta.url).href }));
  const links = [...by("games").children];
  const here = links.find((link) => link.dataset.game === name);
  here.setAttribute("aria-current", "page");
  const [{ game }, answer] = await Promise.all([
    import(`../${name}/game.js`), fetch(new URL(`../${name}/rules/page.json`, import.meta.url)),
  ]);
  const said = new Page({ ...USUAL, ...game, name, isFirst: here === links[0] }, await answer.json());
  await chooseLanguage(["texts", `${name}/texts`, "rules/texts", `${name}/rules/texts`], () => {
    const title = t("rules_title", { game: here.textContent });
    by("title").textContent = document.title = title;
    by("title").prepend(make("a", { class: "back", href: `${page}#game=${name}`, "aria-label": t("back", { game: here.textContent }) }, "‹"), " ");
    said.draw();
  });
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

main();
