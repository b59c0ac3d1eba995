// Just 4 Fun on the page: numbered fields with stones, and the hands below. A move is chosen by
// its cards, its field, or both: the moves that are left are listed.

import { Board } from "../board.js";
import { draw, make, mark } from "../dom.js";
import { kindOf, shades, SIGNS, WORTH } from "../marks.js";
import { capital, decimal, t } from "../texts.js";

const COLOURS = { r: "red", b: "blue", g: "green", y: "yellow" };
const fieldOf = (move) => (move.startsWith("discard") ? null : move.split("=")[0]);
const cardsOf = (move) => (move.split("=")[1] ?? "").split("+").filter(Boolean).map(Number);

class Just4FunBoard extends Board {
  told = ["outcome", "expected", "estimate"];

  // `refuse(text)` is called with the reason why a choice is refused, `uncover()` when the reader asks
  // for a hidden hand. `uncovers()` says whether that shows the hand of the player to move.
  constructor(host, heard) {
    super(host, heard);
    this.hands = make("div", { class: "hands" });
    (host.closest(".stage") ?? host).after(this.hands);
    this.cards = new Set(); // places of the chosen cards in the hand
  }

  build({ grid }, label) {
    const places = new Map(grid.flatMap((numbers, row) => numbers.map((number, column) => [String(number), [column, row]])));
    this.frame(label, places, { size: [grid[0].length, grid.length], edge: 10, defs: shades(STONES) });
    this.svg.querySelector("defs").append(...COUNTS.map((count) => draw("text", { id: `count-${count}` }, count)));
  }

  show(view) {
    this.cards.clear();
    this.field = null;
    super.show(view);
  }

  lay(name, field) {
    const { view } = this;
    const counts = view.stones[name] ?? {};
    const said = Object.entries(counts).map(([side, count]) => side[0] + count).join("");
    mark(field, "data-stones", said || null);
    mark(field, "data-settled", view.settled[name]);
    mark(field, "data-winning", view.winning.includes(Number(name)));
    this.fill(field, said, () => [
      draw("rect", { class: "plate", x: -28, y: -28, width: 56, height: 56, rx: 7 }),
      draw("text", { class: "number", x: -17, y: -10 }, name), ...stones(counts),
    ]);
  }

  // The moves that the cards and the field chosen so far leave open.
  open() {
    const hand = this.view.hands[this.view.turn] ?? [];
    const chosen = [...this.cards].map((place) => hand[place]);
    return (this.view.legal ?? []).filter((move) => {
      const left = cardsOf(move);
      const has = chosen.every((card) => {
        const at = left.indexOf(card);
        return at >= 0 && left.splice(at, 1).length;
      });
      return has && (this.field === null || fieldOf(move) === this.field);
    });
  }

  chosen(name) {
    if (!this.view.legal) return this.view.over ? undefined : this.refuse(t("hand_hidden", { side: t(this.view.turn) }));
    this.field = this.field === name ? null : name;
    const left = this.open();
    if (this.field !== null && left.length === 1) return this.choose(left[0]);
    if (!left.length) {
      this.field = null;
      const hand = this.view.hands[this.view.turn];
      if (this.cards.size) return this.choose(`${name}=${[...this.cards].map((place) => hand[place]).join("+")}`);
      this.refuse(t("no_play_on", { field: name }));
    }
    return this.paint();
  }

  choosePlace(place) {
    if (!this.cards.delete(place)) this.cards.add(place);
    if (!this.open().length) this.field = null;
    this.paint();
  }

  fieldsOf(move) {
    return [fieldOf(move)].filter(Boolean);
  }

  touched(move) {
    return this.fieldsOf(move);
  }

  spot(name) {
    const [x, y] = this.at(name);
    return { at: [x + 9.5, y - 10.5], small: true };
  }

  offered(open) {
    return open;
  }

  paint() {
    super.paint();
    for (const [name, field] of this.fields) mark(field, "data-chosen", name === this.field);
    this.deal();
  }

  // Draws the hands; the player to move can choose cards.
  deal() {
    const { view } = this;
    const focused = this.hands.contains(document.activeElement) ? document.activeElement.dataset.place : null;
    const rows = view.seats.map((side) => {
      const hand = view.hands[side];
      const turn = side === view.turn && !view.over;
      const cards = hand
        ? hand.map((card, place) => (turn ? this.card(card, place) : make("span", { class: "card-face" }, card)))
        : Array.from({ length: view.cards[side] }, () => make("span", { class: "card-face back", "aria-hidden": "true" }, "?"));
      const about = make("span", { class: "about" }, make("span", { class: `dot ${side}` }),
        capital(t("hand_of", { side: t(side), stones: view.left[side] })));
      const uncover = make("button", { type: "button", class: "uncover", click: () => this.uncover() }, t("show_my_hand"));
      return make("div", { class: "hand", "data-hand": side, "data-turn": turn, role: "group", "aria-label": t("hand_of", { side: t(side), stones: view.left[side] }) },
        about, make("span", { class: "cards" }, ...cards),
        ...(turn && !hand && this.uncovers() ? [uncover] : hand ? [] : [make("span", { class: "unseen" }, t("hidden_cards", { count: view.cards[side] }))]));
    });
    const pile = [t("stock_count", { count: view.stock })];
    if (view.next) pile.push(t("stock_next", { cards: view.next.slice(0, 12).join(" ") + (view.next.length > 12 ? " \u2026" : "") }));
    if (view.discards.length) pile.push(t("discards_are", { cards: counted(view.discards) }));
    this.hands.replaceChildren(...rows, make("p", { class: "searched" }, pile.join(" \u00b7 ")));
    if (focused !== null) this.hands.querySelector(`[data-place="${focused}"]`)?.focus();
  }

  card(card, place) {
    return make("button", {
      type: "button", class: "card-face", "aria-pressed": String(this.cards.has(place)), "data-place": place, "data-card": card,
      click: () => this.choosePlace(place),
    }, card);
  }

  focusHand() {
    this.hands.querySelector("button")?.focus();
  }
}

// A text of sorted cards; of more than 12 cards, the number of each.
function counted(cards) {
  if (cards.length <= 12) return cards.join(" ");
  const numbers = new Map();
  for (const card of cards) numbers.set(card, (numbers.get(card) ?? 0) + 1);
  return [...numbers].map(([card, number]) => (number > 1 ? `${number}\u00d7${card}` : card)).join(", ");
}

const STONES = {
  "stone-red": ["#fa7060", "#a01014"], "stone-blue": ["#689cf0", "#123a96"],
  "stone-green": ["#68be74", "#0e6028"], "stone-yellow": ["#ffe260", "#ce9600"],
};

const COUNTS = Array.from({ length: 20 }, (_, less) => less + 1);

// The stones on a field: one of each colour, side by side, with the number of its stones.
function stones(counts) {
  const sides = Object.entries(counts);
  const [radius, step] = sides.length > 2 ? [7, 14] : [10, 22];
  return sides.map(([side, count], place) => {
    const x = (place - (sides.length - 1) / 2) * step;
    return draw("g", {}, draw("circle", { cx: x, cy: 12, r: radius, fill: `url(#stone-${side})` }),
      draw("use", { class: `stone-count ${side}`, href: `#count-${count}`, x, y: 17 }));
  });
}

const percent = (number) => `${Math.round(100 * number)}`;
const score = (number) => `${percent(number)}\u00a0%`;

// The number and the words of a fraction; one with long numbers is written in percent alone.
function fraction(text) {
  const [above, below] = text.split("/");
  const number = Number(above) / Number(below);
  return { number, words: below !== "1" && text.length <= 7 ? `${text} (${score(number)})` : score(number) };
}

function outcomeWords({ lower, upper }, view) {
  const mover = t(view.turn);
  const other = t(view.seats.find((side) => side !== view.turn));
  if (lower === upper) {
    if (lower === "draw") return t("draw");
    return t("side_wins", { side: lower === "win" ? mover : other });
  }
  if (lower === "draw") return t("side_not_lose", { side: mover });
  return upper === "draw" ? t("side_not_win", { side: mover }) : t("not_known");
}

function expectedWords({ lower, upper }, view) {
  const [low, high] = [fraction(lower), fraction(upper)];
  if (lower === upper) return t("scores_on_average", { side: t(view.turn), score: low.words });
  return t("scores_between", { side: t(view.turn), low: percent(low.number), high: score(high.number) });
}

// The known value of a move, by the kind of the server's answer.
const judges = {
  outcome: (one) => ({
    kind: one.outcome ?? "open",
    text: SIGNS[one.outcome] ?? "",
    spoken: one.outcome ? t(`outcome_${one.outcome}`) : "",
    value: WORTH[one.outcome],
    data: { outcome: one.outcome },
  }),
  expectation(one) {
    if (one.expected === null) return { kind: "open", text: "", spoken: "", data: {} };
    const { number, words } = fraction(one.expected);
    return {
      kind: kindOf(2 * number - 1), text: percent(number), value: one.lower === one.upper ? 2 * number - 1 : undefined,
      spoken: t("worth", { margin: words }), data: { expected: one.expected },
    };
  },
  // The broken rim of the kind "open" marks an estimate.
  estimate: (one) => ({
    kind: "open", text: `~${percent(one.mean)}`, spoken: t("about_worth", { score: score(one.mean) }), data: { estimate: one.mean },
  }),
};

function judgedMove(told, one) {
  const judged = judges[told.kind](one);
  return [one.move, { ...judged, lines: judged.text ? [judged.text.replace("~", "")] : [] }];
}

function judgedWords(told, view) {
  if (told.kind === "outcome") return outcomeWords(told, view);
  if (told.kind === "expectation") return expectedWords(told, view);
  const [first] = told.moves;
  return t("estimated", { move: first.move, score: score(first.mean), low: percent(first.low), high: score(first.high) });
}

// The proved bounds of the value; a win, a draw and a loss are worth 1, 0 and -1.
function bounds({ kind, lower, upper }) {
  if (kind === "estimate") return {};
  const [low, high] = [lower, upper].map((text) => (kind === "outcome" ? WORTH[text] : 2 * fraction(text).number - 1));
  return { lower: low, upper: high };
}

// The moves that are as good as the best one.
function best(told) {
  const [first] = told.moves;
  if (!first) return [];
  if (told.kind === "estimate") return told.deals ? [first.move] : [];
  const name = told.kind === "outcome" ? "outcome" : "expected";
  if (!told.exact) return [];
  return told.moves.filter((one) => one[name] === first[name]).map((one) => one.move);
}

export const game = {
  notation: "jfn",
  seats: ["red", "blue"],
  usual: { players: "rb", stones: 20, line: 4, hand: 4, dummy: false, draws: "" },
  instead: ["board", "players", "stones"],
  hides: true,
  inARow: 1, // so that a move with its cards has a line of its own
  // A field stands for a move if it is the only move there.
  meant(text, legal) {
    const found = legal.filter((move) => move.split("=")[0] === text);
    return found.length === 1 ? found[0] : text;
  },
  moveWords: (move) => (move.startsWith("discard") ? t("put_away", { cards: move.split("=")[1] ?? "\u2013" }) : move),
  valueText: (value) => percent((value + 1) / 2),
  example: "12=5+7",
  begin: () => ({ board: "2006", seed: Math.floor(Math.random() * 1e6) }),
  again: (start) => ({ ...start, seed: Math.floor(Math.random() * 1e6) }),
  // The cards from a stock without an order come from the record's draws; a record of the page's own,
  // with variations, has the seed of the deal instead.
  recorded: ({ start, line = 4, hand = 4, draws, seed }) => start && {
    jfn: start, line, hand, ...(start.includes("{") && (seed === undefined ? { draws: draws.map((cards) => cards.join(".")).join(";") } : { seed })),
  },
  chance: ({ seed, draws }) => (draws ? {} : { seed }),
  kept: ["line", "hand", "seed"], // options that a position as text leaves open
  levels: { random: "beginner", greedy: "casual", "advised 1": "club", "advised 5": "expert" },
  bots: ["perfect 3"],
  parties: ["rb", "rbg", "rbgy"], // the colours that may play together
  form: [
    { name: "board", text: "board", offered: ["2006", "5x5", "4x4", "3x3"], label: (value) => (value === "2006" ? t("board_2006") : value) },
    { name: "players", text: "players", offered: ["rb", "rbg", "rbgy"], label: (value) => [...value].map((letter) => t(COLOURS[letter])).join(", ") },
    { name: "stones", text: "stones_each", least: 1, most: 20 },
    { name: "line", text: "line_wins", least: 2, most: 16 },
    { name: "hand", text: "cards_in_hand", least: 1, most: 6 },
    { name: "seed", text: "deal_number", least: 0, most: 999999999 },
    { name: "dummy", text: "double_dummy", check: true },
  ],
  makeBoard: (host, heard) => new Just4FunBoard(host, heard),
  isSameBoard: (one, another) => JSON.stringify([one.grid, one.seats]) === JSON.stringify([another.grid, another.seats]),

  named(field, { stones: lying, settled, winning, legal, moved }, judged) {
    const said = [`${t("field")} ${field}`];
    for (const [, letter, count] of (lying ?? "").matchAll(/([rbgy])(\d+)/g)) {
      said.push(t("stones_count", { side: t(COLOURS[letter]), count }));
    }
    if (settled) said.push(t("settled", { side: t(settled) }));
    if (moved !== undefined) said.push(t("last_move"));
    if (winning !== undefined) said.push(t("in_line"));
    if (legal !== undefined) said.push(t("legal"));
    if (judged?.spoken) said.push(judged.spoken);
    return said.join(", ");
  },

  score: (view) => [{ text: "sum", values: view.sums, total: true }, { text: "stones_left", values: view.left }],

  judged(told, view) {
    const moves = new Map(told.moves.map((one) => judgedMove(told, one)));
    const guess = told.kind === "estimate";
    return {
      words: judgedWords(told, view),
      exact: told.exact,
      guess,
      ...bounds(told),
      chance: guess ? told.moves[0]?.mean : undefined,
      line: told.line ?? [],
      note: guess && told.proved ? t("proved_only", { words: judgedWords(told.proved, view) }) : undefined,
      best: best(told),
      moves,
      searched: guess ? t("from_deals", { deals: told.deals, method: t(`method_${told.method.replace("-", "_")}`), seconds: decimal(told.seconds, 1) }) : undefined,
    };
  },
};
