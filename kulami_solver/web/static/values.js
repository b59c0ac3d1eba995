// Values on the fields, and lines as arrows: nothing here knows what a value means but its sign.
//
//   circle   wins for the side to move      blue
//   square   a draw                         grey
//   diamond  loses                          orange
//   light, with a broken rim: not proved yet; >= 2, <= 5 are bounds

import { draw, mark } from "./dom.js";
import { signed } from "./texts.js";

const SHAPES = {
  win: () => draw("circle", { class: "shape", r: 20 }),
  draw: () => draw("rect", { class: "shape", x: -18, y: -18, width: 36, height: 36, rx: 4 }),
  loss: () => draw("path", { class: "shape", d: "M0-25 25 0 0 25-25 0Z" }),
  open: () => draw("rect", { class: "shape", x: -22, y: -18, width: 44, height: 36, rx: 12 }),
};
const RINGS = {
  win: (kind) => draw("circle", { class: kind, r: 25 }),
  draw: (kind) => draw("rect", { class: kind, x: -23, y: -23, width: 46, height: 46, rx: 7 }),
  loss: (kind) => draw("path", { class: kind, d: "M0-30 30 0 0 30-30 0Z" }),
  open: (kind) => draw("rect", { class: kind, x: -27, y: -23, width: 54, height: 46, rx: 15 }),
};

const outcome = (margin) => (margin > 0 ? "win" : margin < 0 ? "loss" : "draw");

// What stands on a field: its kind, and the value or its bounds as short as can be, in one line or
// two; nothing where bounds of more than half of the board's fields say what everybody knows.
function written({ lower, upper, margin, outcome: known }, goal, fields) {
  if (margin !== null) return [outcome(margin), [signed(margin)]];
  if (known && goal === "outcome") return [known, [{ win: "\u2713", draw: "=", loss: "\u2717" }[known]]];
  const kind = lower > 0 ? "win" : upper < 0 ? "loss" : "open";
  const lines = [];
  if (lower > -fields / 2) lines.push(`\u2265${signed(lower)}`);
  if (upper < fields / 2) lines.push(`\u2264${signed(upper)}`);
  return [kind, lines];
}

// A value to be put on a field: its kind, a line or two of text, and a ring if it is the best one;
// small where something else is on the field, too.
export function valueMark(at, kind, lines, { shape = kind, ring = null, small = false } = {}) {
  const labels = lines.map((line, number) => {
    const label = draw("text", { y: small ? 4.5 : lines.length === 1 ? 6 : 14 * number - 2, class: small ? "small" : lines.length > 1 || line.length > 3 ? "long" : null });
    label.textContent = line;
    return label;
  });
  const parts = [SHAPES[shape]()];
  if (ring) parts.unshift(RINGS[shape](ring));
  if (small) for (const part of parts) part.setAttribute("transform", "scale(.7)");
  parts.push(...labels);
  return draw("g", { class: `value-mark ${kind}`, transform: `translate(${at})` }, ...parts);
}

// Puts what is known of each legal field on it.
export function showValues(board, solution, { guess = null } = {}) {
  const marks = [];
  for (const move of solution.moves) {
    const field = board.fields.get(move.field);
    mark(field, "data-margin", move.margin);
    mark(field, "data-lower", move.margin === null ? move.lower : null);
    mark(field, "data-upper", move.margin === null ? move.upper : null);
    const [kind, lines] = written(move, solution.goal, board.fields.size);
    if (!lines.length && move.field === guess) lines.push("?");
    mark(field, "data-valued", lines.length > 0);
    field.setAttribute("aria-label", board.named(move.field, field.dataset));
    if (!lines.length) continue;
    const best = solution.exact && (solution.goal === "margin" ? move.margin === solution.margin : move.outcome === solution.outcome);
    const shape = move.margin === null && solution.goal === "margin" ? "open" : kind;
    const ring = best ? "best" : move.field === guess ? "guess" : null;
    marks.push(valueMark(board.at(move.field), kind, lines, { shape, ring }));
  }
  board.values.replaceChildren(...marks);
}

// Draws a line of play: the first step strong, the next ones fainter, numbered.
export function showLine(board, line, most = 4) {
  const steps = [board.view.last[0], ...line].filter(Boolean).slice(0, most + 1);
  const arrows = [];
  for (let step = 1; step < steps.length; step++) {
    if (board.fields.has(steps[step])) arrows.unshift(arrow(board.at(steps[step - 1]), board.at(steps[step]), step > 1));
  }
  board.arrows.replaceChildren(...arrows);
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
