// Kulami on the page: its words, its options, and the meaning of its values.

import { by, make } from "../dom.js";
import { kindOf } from "../marks.js";
import { ask, coming } from "../server.js";
import { decimal, signed, t, translate } from "../texts.js";
import { Board } from "./board.js";

const PARTS = [["panels", "012chains"], ["area", "12"], ["chains", "2chains"]];
const other = (side) => (side === "red" ? "black" : "red");

let drawn = null; // the board of the position
const layouts = new Map(); // the server's text of each layout that we have asked for

// The board of a game; the server is asked for a new one.
async function wood({ start }) {
  const layout = start.layout ?? start.kfn.split(" ")[0];
  if (drawn && layouts.get(layout) === drawn.layout) return drawn;
  const told = await ask("/api/board", { layout });
  layouts.set(layout, told.layout);
  drawn = told;
  return told;
}

function marginWords(margin, side) {
  if (margin === 0) return t("draw");
  return t(`wins_by_${margin > 0 ? side : other(side)}`, { points: Math.abs(margin) });
}

// An estimate, always to a tenth.
function tenths(margin) {
  return (margin < 0 ? "\u2212" : margin > 0 ? "+" : "") + decimal(Math.abs(margin), 1);
}

// The words for proved bounds of the margin of the side to move, or for an estimate.
function valueWords({ lower, upper, estimate }, side) {
  if (lower === upper) return marginWords(lower, side);
  if (lower < 0 && upper > 0) {
    const { margin } = estimate;
    const points = decimal(Math.abs(margin), 1);
    return t(Number(Math.abs(margin).toFixed(1)) ? "in_the_lead" : "about_even", { side: t(margin < 0 ? other(side) : side), points });
  }
  const ahead = upper > 0 ? side : other(side);
  const [least, most] = upper > 0 ? [lower, upper] : [-upper, -lower];
  if (least > 0) return t(`wins_from_${ahead}`, { least, most });
  return t(`at_least_draw_${ahead}`, { most });
}

// The chances of an estimate, in words.
function chances({ win, draw, loss }, side) {
  const [wins, draws, losses] = [win, draw, loss].map((chance) => Math.round(100 * chance));
  return t("chances", { side: t(side), wins, draws, losses });
}

// The mark on a field: its kind, and the value or its bounds in one or two short lines. Bounds of
// half of the board's fields or more are left out, because they tell nothing.
function written({ lower, upper, margin, estimate }) {
  const fields = Object.keys(drawn.fields).length;
  if (margin !== null) return { kind: kindOf(margin), lines: [signed(margin)] };
  if (lower < 0 && upper > 0) return { kind: "open", lines: [tenths(estimate.margin)] };
  const lines = [];
  if (lower > -fields / 2) lines.push(`\u2265${signed(lower)}`);
  if (upper < fields / 2) lines.push(`\u2264${signed(upper)}`);
  return { kind: lower > 0 ? "win" : upper < 0 ? "loss" : "open", lines, shape: "open" };
}

export const game = {
  notation: "kfn",
  seats: ["red", "black"],
  counts: { scoring: "0" },
  between: ",",
  instead: ["layout", "first"],
  example: "d4",
  botSeed: "seed",
  flips: true,
  puzzles: true,
  question: { all: true, estimate: true },
  range: 4,
  levels: { "level:1": "beginner", "level:2": "novice", "level:4": "club", "level:6": "expert", master: "master" },
  bots: [
    "random", "greedy", "alphabeta:2", "alphabeta:4", "alphabeta:6", "mcts:200", "mcts:2000", "mcts:20000",
    "perfect 1", "perfect 3", "perfect 10",
  ],
  begin: () => ({ layout: "square", first: "red" }),
  wood,
  makeBoard: (host, heard) => new Board(host, heard),
  isSameBoard: (one, another) => one.wood === another.wood,
  ears: () => coming(import("./ears.js")),
  setup: (table) => coming(import("./setup.js")).then(({ makeSetup }) => makeSetup(table)),

  // Adds the options of this game alone to the page.
  furnish({ game: record }) {
    const count = () => record.count({ scoring: scoring.value });
    const scoring = make("select", { id: "scoring", change: count }, ...["0", "1", "2", "chains"].map((value) => make("option", { value, "data-text": `scoring_${value}` })));
    by("score-title").after(make("label", {}, make("span", { class: "unseen", "data-text": "scoring" }), scoring));
    translate(by("score-title").parentNode);
  },

  labelled({ counts }) {
    by("scoring").value = counts.scoring;
  },

  // The description of a field for screen readers.
  named(field, { marble, last, legal, ...known }, _judged, board) {
    const { margin, lower, upper, estimate } = Object.fromEntries(Object.entries(known).map(([name, text]) => [name, Number(text)]));
    const said = [field];
    if (marble) said.push(t(marble));
    if (last) said.push(t(last === "1" ? "newest" : "one_before"));
    const panel = board.panelOf(field);
    said.push(t("panel_of", panel));
    if (!marble && panel.barred) said.push(t(panel.barred));
    if (legal !== undefined) said.push(t("legal"));
    if (margin !== undefined) said.push(t("worth", { margin: signed(margin) }));
    else if (lower < 0 && upper > 0) said.push(t("worth_about", { margin: tenths(estimate) }));
    else if (lower !== undefined) said.push(t("worth_between", { lower: signed(lower), upper: signed(upper) }));
    return said.join(", ");
  },

  estimateText: ({ margin }) => `~${tenths(margin)}`,

  margin: ({ score }) => score.red - score.black,
  result: (view) => marginWords(game.margin(view), "red"),

  // The parts that count, and their total if they are several.
  score({ score, scoring }) {
    const parts = PARTS.filter(([, counted]) => counted.includes(scoring)).map(([name]) => ({ text: name, show: name, values: { red: score[name][0], black: score[name][1] } }));
    return parts.length > 1 ? [...parts, { text: "total", total: true, values: score }] : [{ ...parts[0], total: true, values: score }];
  },

  judged(told, view) {
    const { exact, margin } = told;
    const moves = new Map(told.moves.map((one) => [one.field, {
      ...written(one),
      text: one.margin === null ? "" : signed(one.margin),
      value: one.margin ?? undefined,
      data: one.margin === null ? { ...one, estimate: one.estimate.margin } : { margin: one.margin },
    }]));
    const worth = (one) => one.margin ?? one.estimate.margin;
    const most = exact ? margin : Math.max(...told.moves.map(worth));
    const best = [exact && told.best, ...told.moves.filter((one) => worth(one) === most).map((one) => one.field)];
    return {
      words: valueWords(told, view.turn),
      exact,
      guess: !exact,
      lower: told.lower,
      upper: told.upper,
      chances: told.estimate ? chances(told.estimate, view.turn) : undefined,
      chance: told.estimate ? told.estimate.win + told.estimate.draw / 2 : undefined,
      line: exact ? told.line : [],
      best: [...new Set(best)].filter(Boolean),
      moves,
    };
  },
};
