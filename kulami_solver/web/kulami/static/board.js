// Kulami's board: the server's drawing of the wood, and the marbles on the fields.
//
//   g.wood                     planks and holes, as `kulami show --svg` draws them
//   g.panels                   a tint over each panel that is barred or won
//   g.chains                   lines over the marbles

import { Board as Shared, COLUMNS, layer } from "../board.js";
import { draw, mark, parsed } from "../dom.js";

const EDGE = 40;
const STEPS = 4; // shown steps of a line

export class Board extends Shared {
  told = ["margin", "lower", "upper", "estimate"];

  // Draws an empty board, as /api/board tells it.
  build(drawn, label) {
    this.drawn = drawn;
    const wood = parsed(drawn.svg);
    this.marks = Object.fromEntries(
      Object.entries(drawn.marks).map(([name, text]) => [name, draw("g", { class: name }, ...parsed(text).children)]),
    );
    for (const colour of ["red", "black"]) this.marks[colour].classList.add("marble");
    this.wood = layer("wood", ...[...wood.children].filter((child) => !["title", "desc", "defs"].includes(child.tagName)));
    this.panels = layer("panels", ...drawn.panels.map((panel) => this.tint(panel)));
    this.chains = layer("chains");
    const places = new Map(Object.keys(drawn.fields).map((name) => [name, [COLUMNS.indexOf(name[0]), Number(name.slice(1)) - 1]]));
    this.frame(label, places, {
      size: [drawn.width, drawn.height].map((length) => (length - 2 * EDGE) / 60), edge: EDGE, rim: 18, named: [20, 20],
      defs: wood.querySelector("defs"), below: [this.wood, this.panels], above: [this.chains],
    });
  }

  tint(panel) {
    const middles = panel.fields.map((name) => this.drawn.fields[name]);
    const [xs, ys] = [0, 1].map((axis) => middles.map((middle) => middle[axis]));
    const [x, y] = [Math.min(...xs) - 28.5, Math.min(...ys) - 28.5];
    return draw("rect", { x, y, width: Math.max(...xs) + 28.5 - x, height: Math.max(...ys) + 28.5 - y, rx: 7 });
  }

  place() {
    const { width, height } = this.drawn;
    for (const layer of [this.wood, this.panels]) {
      mark(layer, "transform", this.flipped ? `rotate(180 ${width / 2} ${height / 2})` : null);
    }
    super.place();
  }

  // Shows a position, as /api/position tells it.
  show(view) {
    this.refuted = null;
    this.drawn.panels.forEach((panel, number) => {
      mark(this.panels.children[number], "data-barred", view.barred.includes(panel.name) && !view.over);
      mark(this.panels.children[number], "data-owner", view.panels[number]);
      mark(this.panels.children[number], "data-turned", null);
    });
    super.show(view);
    this.showChains();
  }

  // Lays the marble of a legal move before the server's answer has come.
  expect(move) {
    const { view } = this;
    super.show({ ...view, [view.turn]: [...view[view.turn], move], last: [move, ...view.last.slice(0, 1)], legal: [], move });
    return true;
  }

  // The panel of a field, with its number of marbles of each colour, and what bars it.
  panelOf(name) {
    const { view, drawn: { panels } } = this;
    const number = panels.findIndex(({ fields }) => fields.includes(name));
    const { name: letter, fields } = panels[number];
    const [red, black] = ["red", "black"].map((side) => fields.filter((one) => view[side].includes(one)).length);
    const barred = view.barred.includes(letter) && !view.over ? (fields.includes(view.last[0]) ? "barred_last" : "barred_before") : null;
    return { fields, size: fields.length, red, black, owner: view.panels[number], barred };
  }

  lay(name, field) {
    const { view } = this;
    const side = (fields) => ["red", "black"].find((one) => fields[one].includes(name));
    const colour = side(view);
    const last = view.last.indexOf(name);
    mark(field, "data-marble", colour);
    mark(field, "data-last", last + 1 || null);
    mark(field, "data-area", side(view.areas));
    const marks = [colour, view.legal.includes(name) && "legal", ["last", "before"][last]].filter(Boolean);
    this.fill(field, marks.join(" "), () => marks.map((kind) => this.marks[kind].cloneNode(true)));
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

  // Shows what a mistake has changed: the better field, and the panels that end with another owner.
  explain(refuted) {
    if (!refuted && !this.refuted) return;
    this.refuted = refuted;
    this.drawn.panels.forEach(({ fields: [first] }, number) => {
      const turned = refuted?.panels.find(({ fields }) => fields[0] === first);
      mark(this.panels.children[number], "data-turned", turned && (turned.owner ?? "nobody"));
    });
    this.follow(this.judged?.line ?? []);
  }

  // Draws a line of play: the first step strong, the next ones fainter; or where a mistake should have
  // been played.
  follow(line) {
    if (this.refuted) return this.drawArrows([[this.refuted.line[0], this.refuted.best]]);
    const { last, legal } = this.view; // the line may be that of the position before
    const steps = legal.includes(line[0]) ? [last[0], ...line].filter(Boolean).slice(0, STEPS + 1) : [];
    const arrows = steps.slice(1).map((to, step) => [steps[step], to, step > 0]);
    return this.drawArrows(arrows.filter(([, to]) => this.fields.has(to)).reverse());
  }
}
