// What the server refuses: a move that is not legal, or the game of an address.

import { ask } from "./server.js";
import { t } from "./texts.js";

// Lets the server explain why a move is not legal; returns whether it may be played. People may not try
// moves from a bot's hidden hand.
export async function explain(table, move) {
  const { view, game, kind, opponent } = table;
  if (!view.legal && opponent.isBot(view.turn)) {
    table.complain(t("hand_hidden", { side: t(view.turn) }));
    return false;
  }
  try {
    await ask(`/api/${kind.name}/position`, table.asked(game.ply, move));
  } catch (error) {
    table.complain(error.reason);
    return false;
  }
  if (view === table.view && !table.due) game.play(move); // it is legal, but the hand is hidden
  return true;
}

// Handles an address that is no valid game: shows the part that can be played, and what is wrong.
export function mend(table, error) {
  const { game, kind } = table;
  table.wrong = error.message;
  if (error.move) return game.take({ start: game.start, moves: game.moves.slice(0, error.move - 1) });
  if (table.mended) return table.complain(table.wrong);
  table.mended = true;
  return game.take({ start: kind.begin(), counts: kind.counts });
}
