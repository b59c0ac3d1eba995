// A board: the server's drawing of its wood, and on each field what lies there.
//
//   svg role=grid
//     g.wood                     planks and holes, as `kulami show --svg` draws them
//     g.panels                   a tint over each panel, where it is barred, or won
//     g role=row > g.field       data-field, data-legal, data-margin ...; what lies on it
//     g.chains, g.arrows, g.values   what is shown over the marbles

import { draw, mark, parsed } from "../dom.js";
import { Grid } from "../grid.js";
import { arrow, edgeNames, valueMark } from "../marks.js";

const COLUMNS = "abcdefghijklmnop";
const STEPS = 4; // of a line that are shown

export class Board extends Grid {
  drawn = null;

  // Draws an empty board anew, from what /api/board says.
  build(drawn, label) {
    this.drawn = drawn;
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
    const places = new Map(Object.keys(drawn.fields).map((name) => [name, [COLUMNS.indexOf(name[0]), Number(name.slice(1))]]));
    this.put(draw("svg", {
      role: "grid", "aria-label": label, viewBox: `0 0 ${drawn.width - 22} ${drawn.height - 22}`,
    }, defs, this.wood, this.panels, this.names, ...this.rows(places), this.chains, this.arrows, this.values));
  }

  tint(panel) {
    const middles = panel.fields.map((name) => this.drawn.fields[name]);
    const [xs, ys] = [0, 1].map((axis) => middles.map((middle) => middle[axis]));
    const [x, y] = [Math.min(...xs) - 28.5, Math.min(...ys) - 28.5];
    return draw("rect", { x, y, width: Math.max(...xs) + 28.5 - x, height: Math.max(...ys) + 28.5 - y, rx: 7 });
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
    super.place();
    this.names.replaceChildren(...edgeNames(this.fields.keys(), (name) => this.at(name), 20, 25));
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

  // Puts what is known of each legal field on it; nothing for null.
  judge(judged) {
    for (const field of this.fields.values()) {
      for (const gone of ["data-margin", "data-lower", "data-upper", "data-valued"]) field.removeAttribute(gone);
    }
    const marks = [];
    for (const [name, one] of judged?.moves ?? []) {
      const field = this.fields.get(name);
      if (!field) continue;
      for (const [key, value] of Object.entries(one.data)) mark(field, `data-${key}`, value);
      const guessed = name === judged.marked;
      const lines = one.lines.length || !guessed ? one.lines : ["?"];
      mark(field, "data-valued", lines.length > 0);
      field.setAttribute("aria-label", this.named(name, field.dataset));
      const ring = judged.best.includes(name) ? "best" : guessed ? "guess" : null;
      if (lines.length) marks.push(valueMark(this.at(name), one.kind, lines, { shape: one.shape, ring }));
    }
    this.values.replaceChildren(...marks);
    this.follow(judged?.line ?? []);
  }

  // Draws a line of play: the first step strong, the next ones fainter.
  follow(line) {
    const steps = [this.view.last[0], ...line].filter(Boolean).slice(0, STEPS + 1);
    const arrows = [];
    for (let step = 1; step < steps.length; step++) {
      if (this.fields.has(steps[step])) arrows.unshift(arrow(this.at(steps[step - 1]), this.at(steps[step]), step > 1));
    }
    this.arrows.replaceChildren(...arrows);
  }
}
