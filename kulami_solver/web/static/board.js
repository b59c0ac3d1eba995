// A board: the server's drawing of its wood, and on each field what lies there.
//
//   svg role=grid
//     g.wood                     planks and holes, as `kulami show --svg` draws them
//     g.panels                   a tint over each panel, where it is barred, or won
//     g role=row > g.field       data-field, data-legal, data-margin ...; what lies on it
//     g.chains, g.arrows, g.values   what is shown over the marbles

import { draw, mark, parsed } from "./dom.js";

const COLUMNS = "abcdefghijklmnop";
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Board {
  // `chosen(field)` is called where a field is clicked or Enter pressed on it, `hovered(field)`
  // where the mouse or the focus comes to one, with null where it leaves; `named(field)` says
  // what the field is called for those who do not see it.
  constructor(host, { chosen, hovered = () => {}, named }) {
    this.host = host;
    this.chosen = chosen;
    this.hovered = hovered;
    this.named = named;
    this.flipped = false;
    this.drawn = null;
    this.fields = new Map();
    this.current = null;
  }

  // Draws an empty board anew, from what /api/board says.
  build(drawn, label) {
    this.drawn = drawn;
    this.fields.clear();
    const wood = parsed(drawn.svg);
    this.marks = Object.fromEntries(
      Object.entries(drawn.marks).map(([name, text]) => [name, draw("g", { class: name }, ...parsed(text).children)]),
    );
    for (const colour of ["red", "black"]) this.marks[colour].classList.add("marble");
    this.wood = draw("g", { class: "wood", "aria-hidden": "true" });
    const defs = wood.querySelector("defs");
    this.wood.append(...[...wood.children].filter((child) => !["title", "desc", "defs"].includes(child.tagName)));
    this.names = draw("g", { class: "names", "aria-hidden": "true" });
    this.chains = draw("g", { class: "chains", "aria-hidden": "true" });
    this.arrows = draw("g", { class: "arrows", "aria-hidden": "true" });
    this.values = draw("g", { class: "values", "aria-hidden": "true" });
    this.panels = draw("g", { class: "panels", "aria-hidden": "true" }, ...drawn.panels.map((panel) => this.tint(panel)));
    this.svg = draw("svg", {
      role: "grid", "aria-label": label, viewBox: `0 0 ${drawn.width - 22} ${drawn.height - 22}`,
    }, defs, this.wood, this.panels, this.names, ...this.rows(), this.chains, this.arrows, this.values);
    this.host.replaceChildren(this.svg);
    this.place();
    this.focusable(this.fields.has(this.current) ? this.current : [...this.fields.keys()][0]);
    this.listen();
  }

  tint(panel) {
    const middles = panel.fields.map((name) => this.drawn.fields[name]);
    const [xs, ys] = [0, 1].map((axis) => middles.map((middle) => middle[axis]));
    const [x, y] = [Math.min(...xs) - 28.5, Math.min(...ys) - 28.5];
    return draw("rect", { x, y, width: Math.max(...xs) + 28.5 - x, height: Math.max(...ys) + 28.5 - y, rx: 7 });
  }

  rows() {
    const rows = new Map();
    for (const name of Object.keys(this.drawn.fields)) {
      const number = name.slice(1);
      if (!rows.has(number)) rows.set(number, draw("g", { role: "row" }));
      const hit = draw("rect", { class: "hit", x: -29, y: -29, width: 58, height: 58, rx: 8 });
      const rim = draw("rect", { class: "rim", x: -26, y: -26, width: 52, height: 52, rx: 8 });
      const lying = draw("g");
      const field = draw("g", { class: "field", role: "gridcell", "data-field": name, tabindex: -1 },
        lying, hit, rim);
      field.lying = lying;
      rows.get(number).append(field);
      this.fields.set(name, field);
    }
    return rows.values();
  }

  // Where a field's middle is, seen from where we sit.
  at(name) {
    const [x, y] = this.drawn.fields[name];
    return this.flipped ? [this.drawn.width - x, this.drawn.height - y] : [x, y];
  }

  place() {
    const { width, height } = this.drawn;
    for (const layer of [this.wood, this.panels]) {
      mark(layer, "transform", this.flipped ? `rotate(180 ${width / 2} ${height / 2})` : null);
    }
    for (const [name, field] of this.fields) field.setAttribute("transform", `translate(${this.at(name)})`);
    const names = new Map();
    for (const [name] of this.fields) {
      const [x, y] = this.at(name);
      names.set(name[0], [x, 25]);
      names.set(name.slice(1), [20, y + 5]);
    }
    this.names.replaceChildren(...[...names].map(([name, [x, y]]) => {
      const text = draw("text", { x, y });
      text.textContent = name;
      return text;
    }));
  }

  flip() {
    this.flipped = !this.flipped;
    this.place();
  }

  // Puts the marbles and marks of a position on it, as /api/position tells it.
  show(view) {
    this.view = view;
    const legal = new Set(view.legal);
    const lies = new Map([...view.red.map((f) => [f, "red"]), ...view.black.map((f) => [f, "black"])]);
    const barred = new Set(view.barred);
    const area = new Map(["red", "black"].flatMap((side) => view.areas[side].map((f) => [f, side])));
    this.drawn.panels.forEach((panel, number) => {
      mark(this.panels.children[number], "data-barred", barred.has(panel.name) && !view.over);
      mark(this.panels.children[number], "data-owner", view.panels[number]);
      for (const name of panel.fields) {
        const field = this.fields.get(name);
        const colour = lies.get(name);
        mark(field, "data-legal", legal.has(name));
        mark(field, "data-marble", colour);
        mark(field, "data-last", view.last.indexOf(name) + 1 || null);
        mark(field, "data-area", area.get(name));
        for (const gone of ["data-margin", "data-lower", "data-upper", "data-valued"]) field.removeAttribute(gone);
        const marks = [];
        if (colour) marks.push(colour);
        if (legal.has(name)) marks.push("legal");
        if (view.last[0] === name) marks.push("last");
        if (view.last[1] === name) marks.push("before");
        const said = marks.join(" ");
        if (field.said !== said) {
          field.said = said;
          field.lying.replaceChildren(...marks.map((kind) => this.marks[kind].cloneNode(true)));
        }
        field.setAttribute("aria-label", this.named(name, field.dataset));
      }
    });
    this.showChains();
    this.arrows.replaceChildren();
    this.values.replaceChildren();
  }

  showChains() {
    const lines = [];
    for (const side of ["red", "black"]) {
      for (const chain of this.view.chains[side]) {
        const [x1, y1] = this.at(chain[0]);
        const [x2, y2] = this.at(chain.at(-1));
        lines.push(draw("line", { class: "under", x1, y1, x2, y2 }), draw("line", { class: side, x1, y1, x2, y2 }));
      }
    }
    this.chains.replaceChildren(...lines);
  }

  // Focus: one field of the board can be tabbed to, arrows go on from there.

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
    let column = COLUMNS.indexOf(name[0]);
    let row = Number(name.slice(1));
    for (let step = 0; step < 16; step++) {
      column += sign * over;
      row += sign * down;
      const there = `${COLUMNS[column]}${row}`;
      if (this.fields.has(there)) return there;
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
        const row = [...this.fields.keys()].filter((other) => other.slice(1) === name.slice(1));
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
