// Drawing a layout: panels are laid by dragging over squares, or with Enter at two corners. A panel
// is a rectangle: { name, left, right, top, bottom }, in columns and rows from 0.

import { COLUMNS, STEPS } from "../board.js";
import { by, make } from "../dom.js";
import { ask, tried } from "../server.js";
import { sentence, t } from "../texts.js";

const NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const LEAST = 10; // the least number of columns and rows shown
const TONES = 5;
const BOX = [[2, 3, 4], [2, 2, 5], [1, 3, 4], [1, 2, 4]];

const between = ([x1, y1], [x2, y2]) => ({ left: Math.min(x1, x2), right: Math.max(x1, x2), top: Math.min(y1, y2), bottom: Math.max(y1, y2) });
const touch = (one, other) => one.left <= other.right && other.left <= one.right && one.top <= other.bottom && other.top <= one.bottom;
const sides = ({ left, right, top, bottom }) => [right - left + 1, bottom - top + 1];
const placeOf = (cell) => cell.dataset.square.split(",").map(Number);

export class LayoutEditor {
  constructor(current, use) {
    this.grid = by("panels-grid");
    by("panels-clear").addEventListener("click", () => this.load("."));
    by("panels-current").addEventListener("click", () => this.load(current()));
    by("panels-use").addEventListener("click", async () => {
      const found = await tried(() => ask("/api/layout", { layout: this.text() }), by("panels-wrong"));
      if (found) use(found.layout);
    });
    let dragged = null; // the square under the pointer, while it drags
    const squareOf = ({ clientX, clientY }) => {
      const cell = document.elementFromPoint(clientX, clientY)?.closest("#panels-grid [data-square]");
      return cell && placeOf(cell);
    };
    this.grid.addEventListener("pointerdown", (event) => {
      this.corner = dragged = squareOf(event);
      if (!dragged) return;
      event.preventDefault();
      this.grid.setPointerCapture(event.pointerId);
      this.mark(dragged);
    });
    this.grid.addEventListener("pointermove", (event) => {
      if (dragged) this.mark(dragged = squareOf(event) ?? dragged);
    });
    this.grid.addEventListener("pointerup", () => {
      if (dragged) this.lay(dragged);
      dragged = null;
    });
    this.grid.addEventListener("pointercancel", () => {
      this.corner = dragged = null;
      this.draw();
    });
    this.grid.addEventListener("keydown", (event) => this.key(event));
    this.load(".");
  }

  load(text) {
    const rows = text.split("/");
    this.size = [Math.max(LEAST, ...rows.map((row) => row.length)), Math.max(LEAST, rows.length)];
    this.panels = [];
    rows.forEach((row, y) => [...row].forEach((name, x) => {
      const panel = this.panels.find((one) => one.name === name);
      if (panel) Object.assign(panel, { right: x, bottom: y });
      else if (name !== ".") this.panels.push({ name, ...between([x, y], [x, y]) });
    }));
    this.at = [0, 0]; // the square that can be tabbed to
    this.corner = null; // the first corner of a panel that is being laid
    this.complain("");
    this.draw();
  }

  // The panel that is in a part of the board.
  panelIn(area) {
    return this.panels.find((panel) => touch(panel, area));
  }

  nameAt(column, row) {
    return this.panelIn(between([column, row], [column, row]))?.name ?? ".";
  }

  // The layout as text, without the empty rows and columns around it.
  text() {
    const [left, top] = ["left", "top"].map((side) => Math.min(...this.panels.map((panel) => panel[side])));
    const [right, bottom] = ["right", "bottom"].map((side) => Math.max(...this.panels.map((panel) => panel[side])));
    return Array.from({ length: bottom - top + 1 }, (_row, y) => (
      Array.from({ length: right - left + 1 }, (_column, x) => this.nameAt(left + x, top + y)).join(""))).join("/");
  }

  // Lays a panel from the first corner to another; a single square of a panel removes that panel.
  lay(to) {
    const area = between(this.corner, to);
    const there = this.panels.filter((panel) => touch(panel, area));
    const name = [...NAMES].find((letter) => this.panels.every((panel) => panel.name !== letter));
    this.corner = null;
    this.complain("");
    if (there.length && Math.max(...sides(area)) > 1) this.complain(t("panels_overlap", { names: there.map((panel) => panel.name).join(", ") }));
    else if (there.length) this.remove(there[0]);
    else if (name) this.panels.push({ name, ...area });
    else this.complain(t("panels_too_many"));
    this.draw();
  }

  remove(panel) {
    this.panels = this.panels.filter((one) => one !== panel);
    this.complain("");
  }

  complain(text) {
    by("panels-wrong").textContent = text;
  }

  // Marks the squares of the panel that is being laid.
  mark(to) {
    const area = between(this.corner, to);
    for (const cell of this.grid.querySelectorAll("[data-square]")) {
      cell.classList.toggle("marked", touch(area, between(placeOf(cell), placeOf(cell))));
    }
  }

  draw() {
    const focused = this.grid.contains(document.activeElement);
    const names = this.panels.map((panel) => panel.name).sort();
    const cell = (column, row) => {
      const name = this.nameAt(column, row);
      const [shown, tone] = name === "." ? ["", null] : [name, names.indexOf(name) % TONES];
      return make("div", {
        role: "gridcell", "data-square": `${column},${row}`, "data-tone": tone, tabindex: column === this.at[0] && row === this.at[1] ? 0 : -1,
        "aria-label": `${COLUMNS[column]}${row + 1} ${shown || t("nothing")}`,
      }, shown);
    };
    const [wide, high] = this.size;
    this.grid.setAttribute("role", "grid");
    this.grid.setAttribute("aria-label", t("tab_panels"));
    this.grid.replaceChildren(...Array.from({ length: high }, (_row, row) => (
      make("div", { role: "row" }, ...Array.from({ length: wide }, (_column, column) => cell(column, row))))));
    if (focused) this.grid.querySelector("[tabindex='0']").focus();
    this.tellLeft();
    this.tellUnusual();
  }

  // Tells what the server finds unusual about the layout, though it can be played on.
  async tellUnusual() {
    const asked = this.text();
    let said = "";
    try {
      said = (await ask("/api/layout", { layout: asked })).unusual.map(sentence).join("; ");
    } catch {
      // There is no panel yet: nothing is unusual about that.
    }
    if (asked === this.text()) by("panels-note").textContent = said;
  }

  // Tells how many panels of each size in the box are laid.
  tellLeft() {
    const sizes = this.panels.map((panel) => sides(panel).sort().join("\u00d7"));
    const laid = BOX.map(([short, long, count]) => {
      const size = `${short}\u00d7${long}`;
      return `${size}${t("colon")}${sizes.filter((one) => one === size).length}/${count}`;
    });
    const fields = this.panels.reduce((sum, panel) => sum + sides(panel)[0] * sides(panel)[1], 0);
    by("panels-left").textContent = [...laid, t("fields_count", { count: fields })].join("   ");
  }

  key(event) {
    const step = STEPS[event.key];
    if (step) {
      this.at = this.at.map((place, axis) => Math.max(0, Math.min(this.size[axis] - 1, place + step[axis])));
      this.draw();
      if (this.corner) this.mark(this.at);
    } else if (event.key === "Enter" || event.key === " ") {
      if (this.corner) {
        this.lay(this.at);
      } else {
        this.corner = this.at;
        this.mark(this.at);
      }
    } else if (event.key === "Delete" || event.key === "Backspace") {
      this.remove(this.panelIn(between(this.at, this.at)));
      this.draw();
    } else {
      return;
    }
    event.preventDefault();
  }
}
