// Kulami on the page: each change of the game is told to the server, and its answer is shown.

import { Analysis } from "./analysis.js";
import { Board } from "./board.js";
import { by } from "./dom.js";
import { Game } from "./game.js";
import { Moves } from "./moves.js";
import { Opponent } from "./opponent.js";
import { showScore } from "./score.js";
import { ask } from "./server.js";
import { say, t } from "./texts.js";

const CHOICES = [
  ["human", "human"],
  ["random", "bot_random"],
  ["greedy", "bot_greedy"],
  ["alphabeta:2", "bot_alphabeta", 2],
  ["alphabeta:4", "bot_alphabeta", 4],
  ["alphabeta:6", "bot_alphabeta", 6],
  ["mcts:200", "bot_mcts", 200],
  ["mcts:2000", "bot_mcts", 2000],
  ["mcts:20000", "bot_mcts", 20000],
  ["perfect 1", "bot_perfect", 1],
  ["perfect 3", "bot_perfect", 3],
  ["perfect 10", "bot_perfect", 10],
];
const SCORINGS = ["0", "1", "2", "chains"];

const game = new Game();
let view = null;
let drawn = null;
let asking = 0;
let wrong = ""; // with the address

// What a field is called for those who do not see it.
function named(field, { marble, last, legal, margin, lower, upper }) {
  const said = [field];
  if (marble) said.push(t(marble));
  if (last) said.push(t(last === "1" ? "newest" : "one_before"));
  if (legal !== undefined) said.push(t("legal"));
  if (margin !== undefined) said.push(t("worth", { margin }));
  else if (lower !== undefined) said.push(t("worth_between", { lower, upper }));
  return said.join(", ");
}

const board = new Board(by("board"), {
  chosen: (field) => play(field),
  hovered: (field) => analysis.hover(field),
  named,
});
const analysis = new Analysis(game, board, () => moves.update());
const moves = new Moves(game, analysis);
const opponent = new Opponent(game, {
  choices: CHOICES,
  selects: { red: by("player-red"), black: by("player-black") },
  hide: () => analysis.toggle(false),
  chosen: async (asked, signal) => (await ask("/api/move", asked, signal)).field,
  spoken: (side, field) => t("bot_played", { side: t(side), field }),
});

// The dialog for other boards, import and export comes when it is first asked for.
let dialog = null;
async function setup() {
  dialog ??= import("./setup.js").then(({ Setup }) => new Setup(game, () => ({ view, drawn }), named));
  return dialog;
}

export const actions = {
  best() {
    const best = analysis.best();
    if (best && view.legal.includes(best)) play(best);
    else if (!analysis.on) analysis.choose(true);
  },
  values: () => analysis.choose(),
  undo: () => game.go(opponent.undone()),
  redo: () => game.go(game.ply + 1),
  toStart: () => game.go(0),
  toEnd: () => game.go(game.moves.length),
  mistake: (way) => moves.mistake(way),
  flip() {
    board.flip();
    redraw();
  },
  board: () => board.focus(),
  setup: async () => (await setup()).show("layout"),
  newGame: () => game.replace({ start: game.start }),
  received: async (what) => (await setup()).receive(what),
};

// A field that may not be played is explained by the server.
async function play(field) {
  by("field-wrong").textContent = "";
  if (!view) return false;
  if (opponent.thinking) return false;
  if (view.legal.includes(field)) {
    game.play(field);
    return true;
  }
  try {
    await ask("/api/position", game.asked(game.ply, field));
  } catch (error) {
    by("field-wrong").textContent = error.reason;
    say(error.reason);
  }
  return false;
}

// What the server says of the position, and the board it lies on; both are asked for at once where
// the board is new.
async function load() {
  const layout = game.start.layout ?? game.start.kfn.split(" ")[0];
  if (drawn && game.boards.get(layout) === drawn.layout) return [await ask("/api/position", game.asked()), drawn];
  const [told, wood] = await Promise.all([ask("/api/position", game.asked()), ask("/api/board", { layout })]);
  game.boards.set(layout, wood.layout);
  return [told, wood];
}

// An address may say what is no game: what of it can be played is shown, with what is wrong.
function mend({ message, move }) {
  const moves = move ? game.moves.slice(0, move - 1) : [];
  const start = move ? game.start : { layout: "square", first: "red" };
  const scoring = SCORINGS.includes(game.scoring) ? game.scoring : "0";
  const mended = JSON.stringify([start, moves, scoring]);
  if (mended !== JSON.stringify([game.start, game.moves, game.scoring])) game.replace({ start, moves, scoring });
  wrong = message;
  by("field-wrong").textContent = message;
}

// Shows the position that the game is at.
async function refresh(spoken) {
  const number = ++asking;
  let told;
  let wood;
  try {
    [told, wood] = await load();
    if (spoken instanceof Promise) await spoken;
  } catch (error) {
    if (number !== asking) return;
    if (error.status === 400) mend(error);
    else by("field-wrong").textContent = error.message;
    return;
  }
  if (number !== asking) return;
  const before = view;
  view = told;
  if (drawn !== wood) {
    drawn = wood;
    board.build(drawn, t("board"));
  }
  game.kfns[game.ply] = view.kfn;
  if (location.hash !== game.hash) history.replaceState(null, "", game.hash);
  by("field-wrong").textContent = wrong;
  wrong = "";
  label();
  if (before && view.last[0] && before.kfn !== view.kfn) announce();
  analysis.update(view);
  moves.update();
  opponent.update(view);
}

function status() {
  if (!view.over) return t("to_move_now", { side: t(view.turn), count: view.legal.length });
  const margin = view.score.red - view.score.black;
  const result = margin === 0 ? t("draw") : t(margin > 0 ? "wins_by_red" : "wins_by_black", { points: Math.abs(margin) });
  return `${t(view.ended === "stuck" ? "over_stuck" : "over_marbles", { side: t(view.turn) })} ${result}`;
}

function announce() {
  const mover = view.turn === "red" ? "black" : "red";
  say(`${t("played", { side: t(mover), field: view.last[0] })}. ${status()}`);
}

function label() {
  document.querySelector("[data-role=status]").textContent = status();
  showScore(view, by("board"));
  document.body.dataset.kfn = view.kfn;
  by("scoring").value = game.scoring;
  by("undo").disabled = by("to-start").disabled = game.ply === 0;
  by("redo").disabled = by("to-end").disabled = game.ply === game.moves.length;
  document.title = `Kulami: ${status()}`;
}

// Draws all anew, as in another language, or from the other side.
function redraw() {
  if (!view) return;
  board.svg.setAttribute("aria-label", t("board"));
  label();
  analysis.update(view);
  moves.update();
}

// Begins with what the address says; `spoken` is fulfilled once the texts are there.
export async function begin(spoken) {
  game.addEventListener("change", refresh);
  addEventListener("hashchange", () => {
    const read = Game.read(location.hash);
    if (read && location.hash !== game.hash) game.replace(read);
  });
  by("scoring").addEventListener("change", () => game.count(by("scoring").value));
  by("typed").addEventListener("submit", async (event) => {
    event.preventDefault();
    const typed = by("field").value.trim().toLowerCase();
    if (typed && (await play(typed))) by("field").value = "";
  });
  const read = Game.read(location.hash);
  if (read) Object.assign(game, read);
  await refresh(spoken);
}

// Says all in another language.
export function relabel() {
  opponent.relabel();
  redraw();
}
