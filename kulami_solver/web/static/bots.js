// A bot's move, asked of the server. Loaded when a bot is first to move.

import { ask } from "./server.js";

const BETWEEN_BOTS = 700; // milliseconds, so that each of their moves is seen

// Returns the move of the bot that plays a side.
export async function moveOf(side, opponent, signal) {
  const { game, seed, table, table: { kind: { name, botSeed = "bot_seed" } } } = opponent;
  const [bot, seconds] = opponent.player(side).split(" ");
  const asked = { ...table.asked(), bot, [botSeed]: seed };
  if (seconds) asked.time = Number(seconds);
  const after = game.ply && opponent.isBot(game.mover(game.ply - 1)) ? BETWEEN_BOTS : 0;
  const [{ move }] = await Promise.all([
    ask(`/api/${name}/move`, asked, signal, 21),
    new Promise((resolve) => setTimeout(resolve, after)),
  ]);
  return move;
}
