// Values on the fields, and arrows. Only the kind of a value matters here, not its meaning.
//
//   circle   a win for the side to move     blue
//   square   a draw                         grey
//   diamond  a loss                         orange
//   light, with a broken rim: not proved yet; >= 2, <= 5 are bounds

import { draw } from "./dom.js";

const SHAPES = {
  win: () => draw("circle", { class: "shape", r: 20 }),
  draw: () => draw("rect", { class: "shape", x: -18, y: -18, width: 36, height: 36, rx: 4 }),
  loss: () => draw("path", { class: "shape", d: "M0-25 25 0 0 25-25 0Z" }),
  open: () => draw("rect", { class: "shape", x: -25, y: -18, width: 50, height: 36, rx: 12 }),
};
const RINGS = {
  win: (kind) => draw("circle", { class: kind, r: 25 }),
  draw: (kind) => draw("rect", { class: kind, x: -23, y: -23, width: 46, height: 46, rx: 7 }),
  loss: (kind) => draw("path", { class: kind, d: "M0-30 30 0 0 30-30 0Z" }),
  open: (kind) => draw("rect", { class: kind, x: -28, y: -21, width: 56, height: 42, rx: 15 }),
};

// The sign of an outcome, its value, and the kind of a value.
export const SIGNS = { win: "\u2713", draw: "=", loss: "\u2717" };
export const WORTH = { win: 1, draw: 0, loss: -1 };
export const kindOf = (value) => (value > 0 ? "win" : value < 0 ? "loss" : "draw");

// Draws a value on a field: one or two lines of text in the shape of its kind, with a ring if the
// move is best; small where a piece lies on the field.
export function valueMark(at, kind, lines, { shape = kind, ring = null, small = false } = {}) {
  const two = lines.length > 1;
  const wide = (line) => (line.length < 5 ? "long" : "longer");
  const size = (line) => (line.length < 4 && !two ? null : shape === "open" && line.length < 6 ? wide(line) : "longest");
  const labels = lines.map((line, number) => draw("text", {
    y: small ? 4.5 : two ? 16 * number - 3 : 6, class: small ? "small" : size(line),
  }, line));
  const parts = [SHAPES[shape]()];
  if (ring) parts.unshift(RINGS[shape]("casing"), RINGS[shape](ring));
  if (small) for (const part of parts) part.setAttribute("transform", `scale(${shape === "open" ? 0.58 : 0.7})`);
  parts.push(...labels);
  return draw("g", { class: `value-mark ${kind}`, transform: `translate(${at})` }, ...parts);
}

export function arrow([x1, y1], [x2, y2], later) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const wide = later ? 2.5 : 4;
  const point = (along, aside) => `${(x1 + dx * along - dy * aside).toFixed(1)} ${(y1 + dy * along + dx * aside).toFixed(1)}`;
  const head = length - 36;
  const tip = length - 22;
  const d = [
    `M${point(16, wide)}`, `L${point(head, wide)}`, `L${point(head, wide * 2.6)}`, `L${point(tip, 0)}`,
    `L${point(head, -wide * 2.6)}`, `L${point(head, -wide)}`, `L${point(16, -wide)}Z`,
  ].join("");
  return draw("path", { d, class: later ? "later" : null });
}

// The colours of balls and stones, as gradients for `url(#NAME)`.
export function shades(colours) {
  return draw("defs", {}, ...Object.entries(colours).map(([id, [light, dark]]) => draw("radialGradient", { id, cx: 0.36, cy: 0.3, r: 0.8 },
    draw("stop", { offset: 0, "stop-color": light }), draw("stop", { offset: 1, "stop-color": dark }))));
}

// The names of columns and rows, in line with the middles of the fields.
export function edgeNames(names, at, left, top) {
  const found = new Map();
  for (const name of names) {
    const [x, y] = at(name);
    found.set(name[0], [x, top]);
    found.set(name.slice(1), [left, y]);
  }
  return [...found].map(([name, [x, y]]) => draw("text", { x, y }, name));
}
