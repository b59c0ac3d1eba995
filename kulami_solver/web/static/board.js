// The board of a game: a picture in layers, with fields. A field shows what lies on it and the value
// of its best move. The Tab key reaches one field, the arrow keys go on from there. Each game derives
// its own board, which defines
//
//   lay(name, field)     draws what lies on a field, and sets its data- attributes
//   open()               the moves that the choices so far leave open
//   fieldsOf(move)       the fields that stand for such a move
//   offered(open)        the open moves that are listed below the board
//   spot(name)           the place of a value, and whether it is small because a piece lies there
//   follow(line)         shows a line of play
//   touched(move)        the fields that are marked after a move
//   expect(move)         if it can: shows a legal move before the server confirms it, and returns true
//   told                 the keys of a move's `data` that its field bears as data- attributes

import { draw, mark } from "./dom.js";
import { arrow, edgeNames, valueMark } from "./marks.js";

const SIDE = 60; // of a square
export const COLUMNS = "abcdefghijklmnop";
export const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const FAR = 16;
const FEW = 20; // up to this number, legal fields are marked

export const layer = (name, ...children) => draw("g", { class: name, "aria-hidden": "true" }, ...children);

export class Board {
  told = [];
  flipped = false;
  current = null; // the field that can be tabbed to
  fields = new Map(); // by name
  places = new Map(); // column and row of each field, by name

  // `heard` has functions: `choose(move)` is called with the chosen move, `picked(moves)` with the
  // moves that may still be chosen; `named(field, data, judged, board)` describes a field for screen
  // readers.
  constructor(host, heard) {
    Object.assign(this, { picked() {} }, heard);
    this.host = host;
    this.resized = new ResizeObserver(([{ contentRect }]) => this.scale(contentRect));
  }

  // Moves are named by their fields, unless a game says otherwise

  open() {
    return this.view.legal ?? [];
  }

  fieldsOf(move) {
    return [move];
  }

  offered(_open) {
    return [];
  }

  // The fields to mark after a move, where what lies on them does not show it.
  touched(_move) {
    return [];
  }

  spot(name) {
    return { at: this.at(name) };
  }

  follow(_line) {}

  // Called when a field is clicked, or Enter pressed on it.
  chosen(name) {
    this.choose(name);
  }

  // Makes the picture; `edge` is the margin around the squares, `named` the place of the names of
  // columns and rows in it.
  frame(label, places, { size, edge, rim = edge, named = null, defs, below = [], above = [] }) {
    Object.assign(this, { size, edge, edgeNamed: named, judged: null });
    this.names = layer("names");
    this.arrows = layer("arrows");
    this.values = layer("values");
    const [width, height] = size.map((count) => edge + count * SIDE + rim);
    this.svg = draw("svg", { role: "grid", "aria-label": label, viewBox: `0 0 ${width} ${height}` },
      defs, ...below, this.names, ...this.rows(places), ...above, this.arrows, this.values);
    this.host.replaceChildren(this.svg);
    this.resized.disconnect();
    this.resized.observe(this.svg);
    this.place();
    this.focusable(this.fields.has(this.current) ? this.current : [...this.fields.keys()][0]);
    this.listen();
  }

  // Sets --pixel, the size of a pixel in units of the picture: the names of columns and rows are to be
  // equally large on all screens.
  scale({ width, height }) {
    const box = this.svg.viewBox.baseVal;
    if (width && height) this.svg.style.setProperty("--pixel", Math.max(box.width / width, box.height / height).toFixed(3));
  }

  // Makes the rows of fields from a map of names to columns and rows.
  rows(places) {
    this.places = places;
    this.lying = new Map([...places].map(([name, place]) => [place.join(), name]));
    this.fields.clear();
    const rows = new Map();
    for (const [name, [, row]] of places) {
      if (!rows.has(row)) rows.set(row, draw("g", { role: "row" }));
      const hit = draw("rect", { class: "hit", x: -29, y: -29, width: 58, height: 58, rx: 8 });
      const rim = draw("rect", { class: "rim", x: -26, y: -26, width: 52, height: 52, rx: 8 });
      const lying = draw("g");
      const field = draw("g", { class: "field", role: "gridcell", "data-field": name, tabindex: -1 },
        lying, hit, rim);
      field.lying = lying;
      rows.get(row).append(field);
      this.fields.set(name, field);
    }
    return rows.values();
  }

  // The middle of a field, on the board as it is turned now.
  at(name) {
    return this.places.get(name).map((place, axis) => this.edge + ((this.flipped ? this.size[axis] - 1 - place : place) + 0.5) * SIDE);
  }

  // Puts every field in its place, on the board as it is turned now.
  place() {
    for (const [name, field] of this.fields) field.setAttribute("transform", `translate(${this.at(name)})`);
    if (this.edgeNamed) this.names.replaceChildren(...edgeNames(this.fields.keys(), (name) => this.at(name), ...this.edgeNamed));
  }

  // Marbles and values

  show(view) {
    this.view = view;
    this.judged = null;
    const moved = view.move === undefined ? [] : this.touched(view.move);
    for (const [name, field] of this.fields) {
      this.lay(name, field);
      mark(field, "data-moved", moved.includes(name));
    }
    this.paint();
  }

  // Draws what lies on a field, unless `said` is the same as before.
  fill(field, said, made) {
    if (field.said === said) return;
    field.said = said;
    field.lying.replaceChildren(...made());
  }

  // Shows the known values of moves on their fields; none for null.
  judge(judged) {
    this.judged = judged;
    this.paint();
  }

  // The best open move of each field.
  best(open) {
    const rank = new Map([...(this.judged?.moves.keys() ?? [])].map((move, place) => [move, place]));
    const found = new Map();
    for (const move of open) {
      for (const name of this.fieldsOf(move)) {
        const before = found.get(name);
        if (before === undefined || (rank.get(move) ?? 0) < (rank.get(before) ?? 0)) found.set(name, move);
      }
    }
    return found;
  }

  // Marks the fields that may be chosen next, and shows their values.
  paint() {
    const { judged } = this;
    const open = this.open();
    const best = this.best(open);
    const values = [];
    mark(this.host, "data-many", best.size > FEW);
    for (const [name, field] of this.fields) {
      const move = best.get(name);
      const one = judged?.moves.get(move);
      const lines = one?.lines ?? [];
      mark(field, "data-legal", move !== undefined);
      mark(field, "data-valued", lines.length > 0);
      for (const key of this.told) mark(field, `data-${key}`, one?.data[key]);
      const ring = one && judged.best.includes(move) ? (judged.guess ? "guess" : "best") : null;
      const { at, small } = this.spot(name);
      if (lines.length) values.push(valueMark(at, one.kind, lines, { shape: one.shape, ring, small }));
      field.setAttribute("aria-label", this.named(name, field.dataset, one, this));
    }
    this.values.replaceChildren(...values);
    this.follow(judged?.line ?? []);
    this.picked(this.offered(open));
  }

  // Draws arrows from fields to fields; `later` ones are fainter.
  drawArrows(steps) {
    this.arrows.replaceChildren(...steps.map(([from, to, later]) => arrow(this.at(from), this.at(to), later)));
  }

  // Focus and keys

  flip() {
    this.flipped = !this.flipped;
    this.place();
  }

  focusable(name) {
    if (this.current && this.fields.has(this.current)) this.fields.get(this.current).setAttribute("tabindex", -1);
    this.current = name;
    this.fields.get(name)?.setAttribute("tabindex", 0);
  }

  focus(name = this.current) {
    this.focusable(name);
    this.fields.get(name).focus();
  }

  // The next field in a direction, beyond gaps; null where the board ends.
  next(name, [over, down]) {
    const sign = this.flipped ? -1 : 1;
    let [column, row] = this.places.get(name);
    for (let step = 0; step < FAR; step++) {
      column += sign * over;
      row += sign * down;
      const there = this.lying.get(`${column},${row}`);
      if (there) return there;
    }
    return null;
  }

  listen() {
    const fieldOf = (event) => event.target.closest?.(".field")?.dataset.field ?? null;
    this.svg.addEventListener("click", (event) => {
      const name = fieldOf(event);
      if (!name) return;
      this.focusable(name);
      this.chosen(name);
    });
    this.svg.addEventListener("keydown", (event) => {
      const name = fieldOf(event);
      if (!name || event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.key === "Enter") {
        this.chosen(name);
      } else if (STEPS[event.key]) {
        const there = this.next(name, STEPS[event.key]);
        if (there) this.focus(there);
      } else if (event.key === "Home" || event.key === "End") {
        const row = [...this.fields.keys()].filter((other) => this.places.get(other)[1] === this.places.get(name)[1]);
        this.focus(row.at(event.key === "Home" ? 0 : -1));
      } else {
        return;
      }
      event.preventDefault();
      event.stopPropagation();
    });
  }
}
