// What is read out when a key asks for it, or when the board shows another position.

import { by } from "./dom.js";
import { capital, t } from "./texts.js";

const movedTo = ({ game, game: { moves } }, ply) => t("moved", { side: t(game.mover(ply - 1)), move: moves[ply - 1] });

const TOLD = {
  // What the board shows instead of what it showed before. After a single move back, the move that was
  // taken back is not on the board, and the one before it is no news. A value that has come at once is
  // said again, since this takes its place.
  now(table, before) {
    const { view: { ply }, status, values: { aloud, judged } } = table;
    return [
      by("field-wrong").textContent, ply && ply !== before.ply - 1 ? movedTo(table, ply) : "",
      status, judged && !aloud ? judged.words : "",
    ].filter(Boolean).join(". ");
  },

  panel: async ({ kind, board }) => (await kind.ears()).panelWords(board, board.current),

  score: async ({ kind, board, view }) => (await kind.ears?.())?.scoreWords(board, view) ?? kind.score(view)
    .map(({ text, values }) => [t(text), ...view.seats.map((side) => `${t(side)} ${values[side]}`)].join(", ")).join("; "),

  last(table) {
    const { ply } = table.game;
    const made = [ply, ply - 1].filter((at) => at > 0).map((at) => movedTo(table, at));
    return made.join("; ") || t("no_move_yet");
  },

  moves: ({ view, status }) => (view.legal?.length ? `${t("legal")}${t("colon")}${view.legal.join(", ")}` : status),
};

export const told = async (table, what, ...more) => capital(await TOLD[what](table, ...more));
