// Malawi on the page: figures with beads on a chequered board, and turns that are chosen by
// clicking a figure, then where it goes, what it hits, or who gets its beads.
//
//   no figure chosen      own figures with turns are marked; each has the value of its best turn
//   a figure              where it goes and what it hits is marked
//   the figure again      other own figures receive its beads, one after the other

import { draw, mark } from "../dom.js";
import { Grid } from "../grid.js";
import { arrow, edgeNames, shades, SIGNS, valueMark } from "../marks.js";
import { t } from "../texts.js";
import { searchedWords } from "../values.js";

const COLUMNS = "abcdefgh";
const [EDGE, SIDE] = [34, 60];
const SIGN = /[-x:]/;

// A turn's figure, its kind, and the fields it is about.
function parts(turn) {
  const sign = SIGN.exec(turn);
  return { figure: turn.slice(0, sign.index), sign: sign[0], targets: turn.slice(sign.index + 1).split(",") };
}

class MalawiBoard extends Grid {
  // `choose(turn)` is called with a turn, legal or not, `picked(turns)` with those still open.
  constructor(host, { choose, picked, named }) {
    super(host, { chosen: (name) => this.choose(name), named });
    Object.assign(this, { play: choose, explain: choose, picked });
  }

  build({ columns, rows }, label) {
    [this.columns, this.high] = [columns, rows];
    const places = new Map();
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) places.set(`${COLUMNS[column]}${row + 1}`, [column, row]);
    }
    this.names = draw("g", { class: "names", "aria-hidden": "true" });
    this.arrows = draw("g", { class: "arrows", "aria-hidden": "true" });
    this.values = draw("g", { class: "values", "aria-hidden": "true" });
    this.squares = draw("g", { "aria-hidden": "true" });
    const [width, height] = [columns * SIDE + EDGE + 10, rows * SIDE + EDGE + 10];
    this.put(draw("svg", { role: "grid", "aria-label": label, viewBox: `0 0 ${width} ${height}` },
      shades({ "ball-red": ["#ff7864", "#960a0e"], "ball-black": ["#787c86", "#0e0e12"] }), this.squares, this.names, ...this.rows(places), this.arrows, this.values));
  }

  at(name) {
    const [column, row] = this.places.get(name);
    const [x, y] = this.flipped ? [this.columns - 1 - column, this.high - 1 - row] : [column, row];
    return [EDGE + (x + 0.5) * SIDE, EDGE + (y + 0.5) * SIDE];
  }

  place() {
    super.place();
    this.squares.replaceChildren(...[...this.places].map(([name, [column, row]]) => {
      const [x, y] = this.at(name);
      return draw("rect", { class: (column + row) % 2 ? "square dark" : "square", x: x - 30, y: y - 30, width: 60, height: 60 });
    }));
    this.names.replaceChildren(...edgeNames(this.places.keys(), (name) => this.at(name), 17, 24));
  }

  show(view) {
    this.view = view;
    this.judged = null;
    this.from = null;
    this.given = null;
    for (const [name, field] of this.fields) {
      const figure = view.figures[name];
      mark(field, "data-figure", figure?.side);
      mark(field, "data-beads", figure?.beads);
      const said = figure ? `${figure.side} ${figure.beads}` : "";
      if (field.said === said) continue;
      field.said = said;
      field.lying.replaceChildren(...(figure ? [ball(figure)] : []));
    }
    this.paint();
  }

  judge(judged) {
    this.judged = judged;
    this.paint();
  }

  // The turns that what has been chosen so far leaves open.
  open() {
    const legal = this.view.legal.filter((turn) => this.from === null || parts(turn).figure === this.from);
    if (!this.given) return legal;
    return legal.filter((turn) => parts(turn).sign === ":" && [...this.given].every((name) => parts(turn).targets.includes(name)));
  }

  choose(name) {
    const own = this.view.legal.some((turn) => parts(turn).figure === name);
    if (this.given) {
      this.give(name);
    } else if (this.from === name) {
      const gives = this.view.legal.some((turn) => parts(turn).figure === name && parts(turn).sign === ":");
      if (gives) this.given = new Set();
      else this.from = null;
    } else if (this.from !== null && !own) {
      const sign = this.view.figures[name] ? "x" : "-";
      const turn = `${this.from}${sign}${name}`;
      if (this.view.legal.includes(turn)) return this.play(turn);
      return this.explain(turn);
    } else if (own) {
      this.from = name;
    } else {
      const other = [...this.places.keys()].find((one) => one !== name);
      return this.explain(`${name}-${other}`);
    }
    return this.paint();
  }

  // A figure more that gets a bead; once a single turn is left, that is meant.
  give(name) {
    if (name === this.from) {
      this.from = this.given = null;
      return undefined;
    }
    if (!this.given.delete(name)) this.given.add(name);
    const left = this.open();
    if (left.length === 1 && this.given.size) return this.play(left[0]);
    if (!left.length) {
      this.given.delete(name);
      return this.explain(`${this.from}:${[...this.given, name].join(",")}`);
    }
    return undefined;
  }

  cancel() {
    this.from = this.given = null;
    this.paint();
  }

  // Marks what may be chosen next, and puts the values on it.
  paint() {
    const { view } = this;
    const open = this.open();
    const marks = new Map(); // of fields that may be chosen: their best turn
    const rank = new Map([...(this.judged?.moves.keys() ?? [])].map((turn, place) => [turn, place]));
    for (const turn of open) {
      const { figure, sign, targets } = parts(turn);
      const fields = this.from === null ? [figure] : sign === ":" ? (this.given ? targets : []) : targets;
      for (const field of fields) {
        const before = marks.get(field);
        if (!before || (rank.get(turn) ?? 0) < (rank.get(before) ?? 0)) marks.set(field, turn);
      }
    }
    const values = [];
    for (const [name, field] of this.fields) {
      const turn = marks.get(name);
      const judged = this.judged?.moves.get(turn);
      mark(field, "data-legal", turn !== undefined);
      mark(field, "data-chosen", name === this.from || this.given?.has(name));
      for (const key of ["outcome", "plies"]) mark(field, `data-${key}`, judged?.data[key]);
      const ring = turn && this.judged?.best.includes(turn) ? "best" : null;
      if (judged && judged.kind !== "open") values.push(valueMark(this.corner(name), judged.kind, [judged.text], { ring, small: view.figures[name] !== undefined }));
      field.setAttribute("aria-label", this.named(name, field.dataset, judged));
    }
    this.values.replaceChildren(...values);
    this.point(this.judged?.best[0] && this.from === null ? this.judged.best[0] : null);
    this.picked(this.from === null ? [] : open);
  }

  // Values stand beside the beads, not on them.
  corner(name) {
    const [x, y] = this.at(name);
    return this.view.figures[name] ? [x + 17, y - 17] : [x, y];
  }

  // Draws a turn as arrows; nothing for null.
  point(turn) {
    if (!turn) return this.arrows.replaceChildren();
    const { figure, sign, targets } = parts(turn);
    return this.arrows.replaceChildren(...targets.map((target) => arrow(this.at(figure), this.at(target), sign === ":")));
  }
}

function ball({ side, beads }) {
  const label = draw("text", { class: "beads", y: 7 });
  label.textContent = beads;
  return draw("g", { class: "marble" }, draw("circle", { class: "under-ball", cx: 2, cy: 3.5, r: beads ? 22 : 16 }),
    draw("circle", { r: beads ? 22 : 16, fill: `url(#ball-${side})` }), label);
}

const WORTH = { win: 1, draw: 0, loss: -1 };
const other = (side) => (side === "red" ? "black" : "red");

function words({ outcome, plies, within }, side) {
  if (outcome === "draw") return t("draw");
  if (outcome === null) return t("undecided_within", { plies: within ?? 0 });
  const winner = t(outcome === "win" ? side : other(side));
  return plies ? t("side_wins_in", { side: winner, plies }) : t("side_wins", { side: winner });
}

export const game = {
  notation: "mfn",
  seats: ["red", "black"],
  usual: { beads: 2 },
  texts: ["board"],
  numbers: ["beads"],
  flags: [],
  instead: ["board"],
  counts: {},
  between: ";",
  range: 1,
  flips: true,
  questions: () => [{}],
  example: "a6-a4",
  begin: () => ({ board: "6x6", beads: 2 }),
  again: (start) => start,
  choices: [
    ["human", "human"], ["random", "bot_random"], ["greedy", "bot_greedy"],
    ["perfect 1", "bot_perfect", 1], ["perfect 3", "bot_perfect", 3], ["perfect 10", "bot_perfect", 10],
  ],
  form: [
    { name: "board", text: "board", offered: ["6x6", "5x5", "4x5", "4x4", "3x4", "3x3", "2x6", "2x5", "2x4", "2x3"] },
    { name: "beads", text: "beads_each", least: 1, most: 15 },
  ],
  makeBoard: (host, heard) => new MalawiBoard(host, heard),
  isSameBoard: (one, another) => one.columns === another.columns && one.rows === another.rows,

  named(field, { figure, beads, legal, chosen }, judged) {
    const said = [field];
    if (figure) said.push(`${t(figure)}, ${t("beads_count", { count: beads })}`);
    if (chosen !== undefined) said.push(t("chosen"));
    if (legal !== undefined) said.push(t("legal"));
    if (judged && judged.kind !== "open") said.push(judged.spoken);
    return said.join(", ");
  },

  status(view) {
    if (!view.over) return t("turns_now", { side: t(view.turn), count: view.legal.length });
    return `${t(`over_${view.ended}`)} ${this.result(view)}`;
  },

  valueText: (value) => SIGNS[Object.keys(WORTH).find((outcome) => WORTH[outcome] === value)],
  result: (view) => (view.winner ? t("side_wins", { side: t(view.winner) }) : t("draw")),
  score: (view) => [{ text: "beads", values: view.beads }],

  judged(told, view) {
    const moves = new Map(told.turns.map((one) => [one.turn, {
      kind: one.outcome ?? "open",
      text: one.outcome === "draw" ? "=" : one.outcome === null ? "?" : String(one.plies),
      spoken: words(one, view.turn),
      value: WORTH[one.outcome],
      data: { outcome: one.outcome, plies: one.plies },
    }]));
    const [first] = told.turns;
    const best = told.outcome === null ? [] : told.turns
      .filter((one) => one.outcome === first.outcome && one.plies === first.plies).map((one) => one.turn);
    return {
      words: words(told, view.turn),
      exact: told.outcome !== null,
      lower: WORTH[told.outcome],
      upper: WORTH[told.outcome],
      line: told.line,
      best,
      moves,
      searched: (done) => searchedWords(told, done, told.outcome !== null),
    };
  },
};
