// Malawi on the page: figures with beads on a chequered board. A turn is chosen by clicking a figure,
// then its target: a field, a figure that it hits, or figures that get its beads.
//
//   no figure chosen      own figures with turns are marked; each has the value of its best turn
//   a figure              the fields it can go to and the figures it can hit are marked
//   the figure again      other own figures receive its beads, one after the other
//   Escape                no figure is chosen

import { Board, COLUMNS, layer } from "../board.js";
import { by, draw, mark } from "../dom.js";
import { shades, SIGNS, WORTH } from "../marks.js";
import { t } from "../texts.js";

const SIGN = /[-x:]/;

// A turn's figure, its kind, and the fields it is about.
function parts(turn) {
  const sign = SIGN.exec(turn);
  return { figure: turn.slice(0, sign.index), sign: sign[0], targets: turn.slice(sign.index + 1).split(",") };
}

class MalawiBoard extends Board {
  told = ["outcome", "plies"];

  // `announce(text)` is called with what has been chosen.
  constructor(host, heard) {
    super(host, { announce() {}, ...heard });
    for (const part of [host, by("turns")]) part?.addEventListener("keydown", (event) => this.letGo(event));
  }

  build({ columns, rows }, label) {
    const places = new Map();
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) places.set(`${COLUMNS[column]}${row + 1}`, [column, row]);
    }
    this.squares = layer("squares");
    this.frame(label, places, {
      size: [columns, rows], edge: 34, rim: 10, named: [17, 18], below: [this.squares],
      defs: shades({ "ball-red": ["#ff7864", "#960a0e"], "ball-black": ["#787c86", "#0e0e12"] }),
    });
  }

  place() {
    super.place();
    this.squares.replaceChildren(...[...this.places].map(([name, [column, row]]) => {
      const [x, y] = this.at(name);
      return draw("rect", { class: (column + row) % 2 ? "square dark" : "square", x: x - 30, y: y - 30, width: 60, height: 60 });
    }));
  }

  show(view) {
    this.from = this.given = null;
    super.show(view);
  }

  lay(name, field) {
    const figure = this.view.figures[name];
    mark(field, "data-figure", figure?.side);
    mark(field, "data-beads", figure?.beads);
    this.fill(field, figure ? `${figure.side} ${figure.beads}` : "", () => (figure ? [ball(figure)] : []));
  }

  // The turns that the choices so far leave open.
  open() {
    const legal = this.view.legal.filter((turn) => this.from === null || parts(turn).figure === this.from);
    if (!this.given) return legal;
    return legal.filter((turn) => parts(turn).sign === ":" && [...this.given].every((name) => parts(turn).targets.includes(name)));
  }

  chosen(name) {
    const own = this.view.legal.some((turn) => parts(turn).figure === name);
    if (this.given) {
      this.give(name);
    } else if (this.from === name) {
      const gives = this.view.legal.some((turn) => parts(turn).figure === name && parts(turn).sign === ":");
      if (gives) this.given = new Set();
      else this.from = null;
    } else if (this.from !== null && !own) {
      const sign = this.view.figures[name] ? "x" : "-";
      return this.choose(`${this.from}${sign}${name}`);
    } else if (own) {
      this.from = name;
    } else {
      const other = [...this.places.keys()].find((one) => one !== name);
      return this.choose(`${name}-${other}`);
    }
    this.paint();
    return this.tell(name);
  }

  // Announces what has been chosen: which figures may get the beads, once a figure gives them; else a
  // field, as it is named now.
  tell(name) {
    const giving = this.given && !this.given.size;
    this.announce(giving ? t("gives_to", { fields: [...this.best(this.open()).keys()].join(", ") }) : this.fields.get(name).getAttribute("aria-label"));
  }

  // Escape lets go of the chosen figure, also from the list of its turns, where there is one.
  letGo(event) {
    const { from } = this;
    if (event.key !== "Escape" || from === null) return;
    event.stopPropagation(); // on the page, it closes a notice
    this.from = this.given = null;
    this.paint();
    this.focus(from);
    this.tell(from);
  }

  // Adds or removes a figure that gets a bead; plays the turn once a single one is left.
  give(name) {
    if (name === this.from) {
      this.from = this.given = null;
      return undefined;
    }
    if (!this.given.delete(name)) this.given.add(name);
    const left = this.open();
    if (left.length === 1 && this.given.size) return this.choose(left[0]);
    if (!left.length) {
      this.given.delete(name);
      return this.choose(`${this.from}:${[...this.given, name].join(",")}`);
    }
    return undefined;
  }

  // A figure stands for all of its turns; once it is chosen, a target stands for one of them.
  fieldsOf(turn) {
    const { figure, sign, targets } = parts(turn);
    if (this.from === null) return [figure];
    return sign === ":" && !this.given ? [] : targets;
  }

  touched(turn) {
    const { figure, targets } = parts(turn);
    return [figure, ...targets];
  }

  paint() {
    for (const [name, field] of this.fields) mark(field, "data-chosen", name === this.from || this.given?.has(name));
    super.paint();
  }

  offered(open) {
    return this.from === null ? [] : open;
  }

  // Values stand beside the beads, not on them.
  spot(name) {
    const [x, y] = this.at(name);
    return this.view.figures[name] ? { at: [x + 17, y - 17], small: true } : { at: [x, y] };
  }

  follow() {
    this.point(this.from === null ? this.judged?.best[0] : null);
  }

  // Draws a turn as arrows; nothing for null.
  point(turn) {
    const { figure, sign, targets } = turn ? parts(turn) : { targets: [] };
    this.drawArrows(targets.map((target) => [figure, target, sign === ":"]));
  }
}

function ball({ side, beads }) {
  const r = beads ? 22 : 16;
  return draw("g", { class: "marble" }, draw("circle", { class: "under-ball", cx: 2, cy: 3.5, r }),
    draw("circle", { r, fill: `url(#ball-${side})` }), draw("text", { class: "beads", y: 7 }, beads));
}

const shown = ({ outcome, plies }) => (outcome === "draw" ? "=" : outcome === null ? "" : String(plies));

const other = (side) => (side === "red" ? "black" : "red");

function words({ outcome, plies, within }, side) {
  if (outcome === "draw") return t("draw");
  if (outcome === null) return t("undecided_within", { plies: within ?? 0 });
  const winner = t(outcome === "win" ? side : other(side));
  return plies ? t("side_wins_in", { side: winner, plies }) : t("side_wins", { side: winner });
}

const SAID = { "-": "goes_to", x: "hits", ":": "gives_to" };

export const game = {
  notation: "mfn",
  seats: ["red", "black"],
  usual: { beads: 2 },
  instead: ["board"],
  flips: true,
  example: "a6-a4",
  begin: () => ({ board: "6x6", beads: 2 }),
  recorded: ({ start, board, beads = 2 }) => (start ? { mfn: start, beads } : board && { board, beads }),
  levels: { random: "beginner", greedy: "casual", "perfect 1": "expert", "perfect 10": "master" },
  bots: ["perfect 3"],
  form: [
    { name: "board", text: "board", offered: ["6x6", "5x5", "4x5", "4x4", "3x4", "3x3", "2x6", "2x5", "2x4", "2x3"] },
    { name: "beads", text: "beads_each", least: 1, most: 15 },
  ],
  makeBoard: (host, heard) => new MalawiBoard(host, heard),
  isSameBoard: (one, another) => one.columns === another.columns && one.rows === another.rows,

  named(field, { figure, beads, legal, chosen, moved }, judged) {
    const said = [field];
    if (figure) said.push(`${t(figure)}, ${t("beads_count", { count: beads })}`);
    if (moved !== undefined) said.push(t("last_move"));
    if (chosen !== undefined) said.push(t("chosen"));
    if (legal !== undefined) said.push(t("legal"));
    if (judged && judged.kind !== "open") said.push(judged.spoken);
    return said.join(", ");
  },

  moveWords(turn) {
    const { sign, targets } = parts(turn);
    return t(SAID[sign], { fields: targets.join(", ") });
  },

  valueText: (value) => SIGNS[Object.keys(WORTH).find((outcome) => WORTH[outcome] === value)],
  score: (view) => [{ text: "beads", values: view.beads }],

  judged(told, view) {
    const moves = new Map(told.turns.map((one) => [one.turn, {
      kind: one.outcome ?? "open",
      text: shown(one),
      lines: one.outcome === null ? [] : [shown(one)],
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
    };
  },
};
