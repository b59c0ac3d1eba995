// A board as a grid of fields: one of them can be tabbed to, arrows go on from there. What the
// fields look like is for the boards of the games, which derive from this.
//
//   svg role=grid
//     g role=row > g.field role=gridcell     data-field, tabindex

import { draw } from "./dom.js";

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const FAR = 16;

export class Grid {
  // `chosen(field)` is called where a field is clicked or Enter pressed on it, `hovered(field)`
  // where the mouse or the focus comes to one, with null where it leaves; `named(field)` says
  // what the field is called for those who do not see it.
  constructor(host, { chosen, hovered = () => {}, named }) {
    this.host = host;
    this.chosen = chosen;
    this.hovered = hovered;
    this.named = named;
    this.flipped = false;
    this.fields = new Map();
    this.places = new Map(); // of each field: column and row
    this.current = null;
  }

  // Makes rows of fields, of a map from names to columns and rows.
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

  // Shows the finished picture, in which the fields are.
  put(svg) {
    this.svg = svg;
    this.host.replaceChildren(svg);
    this.place();
    this.focusable(this.fields.has(this.current) ? this.current : [...this.fields.keys()][0]);
    this.listen();
  }

  // Puts every field where it is, seen from where we sit; boards say by `at` where.
  place() {
    for (const [name, field] of this.fields) field.setAttribute("transform", `translate(${this.at(name)})`);
  }

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
    for (const [over, out] of [["pointerover", "pointerleave"], ["focusin", "focusout"]]) {
      this.svg.addEventListener(over, (event) => this.hovered(fieldOf(event)));
      this.svg.addEventListener(out, () => this.hovered(null));
    }
  }
}
