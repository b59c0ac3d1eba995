// The value during a game as a curve: exact values as a line, bounds as bars.

import { draw } from "./dom.js";
import { signed } from "./texts.js";

const [WIDE, HIGH, EDGE] = [360, 92, 14];

const step = (count) => (WIDE - 2 * EDGE) / Math.max(count, 1);

// The ply at a fraction of the curve's width.
export const plyAt = (part, count) => Math.round((part * WIDE - EDGE) / step(count));

// `bounds` holds { low, high } or null for each ply from 0, `judged` the known value of each move.
export function curveOf(bounds, judged, ply, range, label) {
  const exact = bounds.map((one) => (one && one.low === one.high ? one.low : null));
  const top = Math.max(range, ...exact.map((value) => Math.abs(value ?? 0)));
  const most = top + Math.min(1, top / 4);
  const x = (at) => EDGE + step(judged.length) * at;
  const y = (value) => HIGH / 2 - (Math.max(-most, Math.min(most, value)) / most) * (HIGH / 2 - 8);
  const parts = [draw("line", { class: "zero", x1: EDGE, x2: WIDE - EDGE, y1: y(0), y2: y(0) })];
  let path = "";
  bounds.forEach((one, at) => {
    if (one && exact[at] === null) {
      parts.push(draw("line", { class: "range", x1: x(at), x2: x(at), y1: y(one.low), y2: y(one.high) }));
    }
    if (exact[at] !== null) path += `${at && exact[at - 1] !== null ? "L" : "M"}${x(at).toFixed(1)} ${y(exact[at]).toFixed(1)}`;
  });
  parts.push(draw("path", { class: "curve", d: path }), draw("line", { class: "here", x1: x(ply), x2: x(ply), y1: 2, y2: HIGH - 2 }));
  judged.forEach((one, index) => {
    if (!one?.cost || exact[index + 1] === null) return;
    const [cx, cy] = [x(index + 1), y(exact[index + 1])];
    parts.push(one.flips
      ? draw("path", { class: "flip", d: `M${cx} ${cy - 6}l6 6-6 6-6-6Z` })
      : draw("circle", { class: "mistake", cx, cy, r: 3.5 }));
  });
  parts.push(...[[top, 12], [-top, HIGH - 4]].map(([value, at]) => draw("text", { x: 0, y: at }, signed(value))));
  return draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, preserveAspectRatio: "none", role: "img", "aria-label": label }, ...parts);
}
