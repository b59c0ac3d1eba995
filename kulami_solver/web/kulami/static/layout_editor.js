// Drawing a layout: panels are laid by dragging over squares, or with Enter at two corners.

import { by, make } from "../dom.js";
import { ask } from "../server.js";
import { sentence, t } from "../texts.js";

const NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const COLUMNS = "abcdefghijklmnop";
const LEAST = 10;
const MOST = 16;
const BOX = [[2, 3, 4], [2, 2, 5], [1, 3, 4], [1, 2, 4]];

export class LayoutEditor {
  constructor(current, use) {
    this.rows = [];
    this.corner = null;
    this.grid = by("panels-grid");
    by("panels-clear").addEventListener("click", () => this.load("."));
    by("panels-current").addEventListener("click", () => this.load(current()));
    by("panels-use").addEventListener("click", async () => {
      try {
        use((await ask("/api/layout", { layout: this.text() })).layout);
      } catch (error) {
        this.complain(error.message);
      }
    });
    this.grid.addEventListener("pointerdown", (event) => {
      const square = this.squareOf(event);
      if (!square) return;
      event.preventDefault();
      this.grid.setPointerCapture(event.pointerId);
      this.corner = square;
      this.dragged = square;
      this.mark(square, square);
    });
    this.grid.addEventListener("pointermove", (event) => {
      if (!this.dragged) return;
      const square = this.squareOf(event);
      if (square) this.mark(this.corner, (this.dragged = square));
    });
    this.grid.addEventListener("pointerup", () => {
      if (!this.dragged) return;
      const [from, to] = [this.corner, this.dragged];
      this.corner = this.dragged = null;
      this.lay(from, to);
    });
    this.grid.addEventListener("pointercancel", () => {
      this.corner = this.dragged = null;
      this.draw();
    });
    this.grid.addEventListener("keydown", (event) => this.key(event));
    this.load(".");
  }

  load(text) {
    const rows = text.split("/");
    const wide = Math.max(LEAST, ...rows.map((row) => row.length));
    const high = Math.max(LEAST, rows.length);
    this.rows = Array.from({ length: high }, (_, row) => [...(rows[row] ?? "").padEnd(wide, ".")]);
    this.at = [0, 0];
    this.corner = null;
    this.complain("");
    this.draw();
  }

  squareOf(event) {
    const cell = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-square]");
    return cell && this.grid.contains(cell) ? cell.dataset.square.split(",").map(Number) : null;
  }

  // The layout as text, without the empty rows and columns around it.
  text() {
    let rows = this.rows.map((row) => row.join(""));
    while (rows.length > 1 && /^\.*$/.test(rows[0])) rows.shift();
    while (rows.length > 1 && /^\.*$/.test(rows.at(-1))) rows.pop();
    const left = Math.min(...rows.map((row) => row.search(/[^.]/)).filter((at) => at >= 0), MOST);
    rows = rows.map((row) => row.slice(left).replace(/\.+$/, ""));
    const wide = Math.max(...rows.map((row) => row.length));
    return rows.map((row) => row.padEnd(wide, ".")).join("/");
  }

  // Lays a panel between two corners; one square that has a panel takes that away.
  lay(from, to) {
    const [left, right] = [Math.min(from[0], to[0]), Math.max(from[0], to[0])];
    const [top, bottom] = [Math.min(from[1], to[1]), Math.max(from[1], to[1])];
    const there = new Set();
    for (let row = top; row <= bottom; row++) {
      for (let column = left; column <= right; column++) there.add(this.rows[row][column]);
    }
    there.delete(".");
    const one = left === right && top === bottom;
    if (there.size && !one) {
      this.complain(t("panels_overlap", { names: [...there].join(", ") }));
    } else if (there.size) {
      this.remove([...there][0]);
    } else {
      const used = new Set(this.rows.flat());
      const name = [...NAMES].find((letter) => !used.has(letter));
      if (!name) return this.complain(t("panels_too_many"));
      for (let row = top; row <= bottom; row++) this.rows[row].fill(name, left, right + 1);
      this.complain("");
    }
    return this.draw();
  }

  remove(name) {
    this.rows = this.rows.map((row) => row.map((letter) => (letter === name ? "." : letter)));
    this.complain("");
  }

  complain(text) {
    by("panels-wrong").textContent = text;
  }

  mark(from, to) {
    for (const cell of this.grid.querySelectorAll("[data-square]")) {
      const [column, row] = cell.dataset.square.split(",").map(Number);
      cell.classList.toggle("marked", column >= Math.min(from[0], to[0]) && column <= Math.max(from[0], to[0])
        && row >= Math.min(from[1], to[1]) && row <= Math.max(from[1], to[1]));
    }
  }

  draw() {
    const focused = this.grid.contains(document.activeElement);
    const tones = new Map([...new Set(this.rows.flat())].filter((name) => name !== ".").sort().map((name, place) => [name, place % 5]));
    this.grid.setAttribute("role", "grid");
    this.grid.setAttribute("aria-label", t("tab_panels"));
    this.grid.replaceChildren(...this.rows.map((names, row) => make("div", { role: "row" }, ...names.map((name, column) => make("div", {
      role: "gridcell", "data-square": `${column},${row}`, "data-tone": tones.get(name), tabindex: column === this.at[0] && row === this.at[1] ? 0 : -1,
      "aria-label": `${COLUMNS[column]}${row + 1} ${name === "." ? t("nothing") : name}`,
    }, name === "." ? "" : name)))));
    if (focused) this.grid.querySelector("[tabindex='0']").focus();
    this.tellLeft();
    this.tellUnusual();
  }

  // What the server finds unusual about the layout so far, though it can be played on.
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

  // How many panels of the box are still to be laid.
  tellLeft() {
    const sizes = new Map();
    for (const name of new Set(this.rows.flat())) {
      if (name === ".") continue;
      const squares = this.rows.flatMap((row, y) => row.flatMap((letter, x) => (letter === name ? [[x, y]] : [])));
      const wide = 1 + Math.max(...squares.map(([x]) => x)) - Math.min(...squares.map(([x]) => x));
      const size = [wide, squares.length / wide].sort().join("\u00d7");
      sizes.set(size, (sizes.get(size) ?? 0) + 1);
    }
    const fields = this.rows.flat().filter((name) => name !== ".").length;
    by("panels-left").textContent = `${BOX.map(([short, long, count]) => {
      const size = `${short}\u00d7${long}`;
      return `${size}: ${sizes.get(size) ?? 0}/${count}`;
    }).join("   ")}   ${t("fields_count", { count: fields })}`;
  }

  key(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const step = steps[event.key];
    const [column, row] = this.at;
    if (step) {
      this.at = [
        Math.max(0, Math.min(this.rows[0].length - 1, column + step[0])),
        Math.max(0, Math.min(this.rows.length - 1, row + step[1])),
      ];
      this.draw();
      if (this.corner) this.mark(this.corner, this.at);
    } else if (event.key === "Enter" || event.key === " ") {
      if (this.corner) {
        const from = this.corner;
        this.corner = null;
        this.lay(from, this.at);
      } else {
        this.corner = this.at;
        this.mark(this.at, this.at);
      }
    } else if (event.key === "Delete" || event.key === "Backspace") {
      if (this.rows[row][column] !== ".") this.remove(this.rows[row][column]);
      this.draw();
    } else {
      return;
    }
    event.preventDefault();
  }
}
