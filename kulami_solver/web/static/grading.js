// Grading a game: shows the server's verdict on each move as soon as it comes.

import { by } from "./dom.js";
import { stream } from "./server.js";
import { capital, say, t } from "./texts.js";

// Grades the whole game, from its end backwards; then come estimates of the earlier moves.
export async function grade(moves) {
  const { table, game, kind: { name } } = moves;
  moves.grading?.abort();
  const grading = new AbortController();
  moves.grading = grading;
  const note = by("graded");
  const { moves: line } = game; // the reader may turn to another one meanwhile
  const whole = line.length;
  const asked = table.asked(whole);
  const counts = { ...game.counts };
  const key = (ply) => moves.key(line.slice(0, ply), counts);
  let from = whole + 1;
  note.textContent = t("grading", { done: 0, whole });
  moves.summed = false;
  moves.update();
  try {
    await stream(`/api/${name}/grade`, asked, (kind, said) => {
      if (kind === "move") {
        from = said.ply;
        const { outcome: [before, after], why, refutation } = said;
        const becomes = before === after ? [] : [{ code: "becomes", values: { before, after } }];
        moves.graded.set(key(from), { ...said.worth, flips: before !== after, why: why && [...becomes, why], refutation });
        const { values } = table;
        values.keep(values.key({ ...asked, moves: line.slice(0, from - 1) }), said.solution, true);
        note.textContent = t("grading", { done: whole + 1 - from, whole });
      } else if (kind === "estimate") {
        moves.estimated.set(key(said.ply), said.estimate);
      } else if (kind === "grade") {
        note.textContent = said.moves.length ? game.seats.map((side) => share(side, said[side])).join(" \u00b7 ")
          + (from > 1 ? ` (${t("graded_from", { ply: from })})` : "") : t("nothing_graded");
        say(note.textContent);
        moves.summed = true;
      }
      moves.update();
    }, grading.signal);
  } catch (error) {
    if (!grading.signal.aborted) note.textContent = error.message;
  }
  if (moves.grading === grading) moves.grading = null;
  moves.update();
}

// Stops the grading; the verdicts so far stay.
export function stop(moves) {
  const { game, grading } = moves;
  grading.abort();
  moves.grading = null;
  const from = game.moves.findIndex((_, index) => moves.graded.has(moves.key(game.moves.slice(0, index + 1)))) + 1;
  if (!moves.summed) by("graded").textContent = from ? capital(t("graded_from", { ply: from })) : "";
  moves.update();
}

function share(side, found) {
  const percent = found.accuracy === null ? "\u2013" : `${Math.round(100 * found.accuracy)} %`;
  return t("graded_side", { side: capital(t(side)), percent, lost: found.lost });
}
