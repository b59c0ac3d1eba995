// What is read out when a key asks for it.

import { capital, t } from "./texts.js";

const TOLD = {
  panel: async ({ kind, board }) => (await kind.ears()).panelWords(board, board.current),

  score: async ({ kind, board, view }) => (await kind.ears?.())?.scoreWords(board, view) ?? kind.score(view)
    .map(({ text, values }) => [t(text), ...view.seats.map((side) => `${t(side)} ${values[side]}`)].join(", ")).join("; "),

  last({ game, game: { ply, moves } }) {
    const made = [ply - 1, ply - 2].filter((at) => at >= 0).map((at) => t("moved", { side: t(game.mover(at)), move: moves[at] }));
    return made.join("; ") || t("no_move_yet");
  },

  moves: ({ view, status }) => (view.legal?.length ? `${t("legal")}${t("colon")}${view.legal.join(", ")}` : status),
};

export const told = async (table, what) => capital(await TOLD[what](table));
