// Who plays which side: people at this board, or a bot of the server's.

import { by, make } from "./dom.js";
import { ask } from "./server.js";
import { say, t } from "./texts.js";

// What can be chosen: the name the server knows, its kind, and how strong or how long.
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

export class Opponent {
  // `hide()` is called when a bot is given a side: its opponent is not to see the values unasked.
  constructor(game, hide) {
    this.game = game;
    this.selects = { red: by("player-red"), black: by("player-black") };
    this.seed = Math.floor(Math.random() * 1e9);
    for (const select of Object.values(this.selects)) {
      select.addEventListener("change", () => {
        if (select.value !== "human") hide();
        this.update(this.view);
      });
    }
    game.addEventListener("replace", () => {
      this.seed = Math.floor(Math.random() * 1e9);
    });
  }

  relabel() {
    for (const select of Object.values(this.selects)) {
      const chosen = select.value || "human";
      select.replaceChildren(...CHOICES.map(([value, name, strength]) => make("option", { value }, t(name, { strength }))));
      select.value = chosen;
    }
  }

  isBot(side) {
    return this.selects[side].value !== "human";
  }

  // How far back undo goes: to where a person is to move.
  undone() {
    let ply = this.game.ply - 1;
    const people = ["red", "black"].some((side) => !this.isBot(side));
    while (people && ply > 0 && this.isBot(this.game.mover(ply))) ply -= 1;
    return ply;
  }

  // Lets a bot move if it is its turn, and nobody looks at what came before.
  async update(view) {
    this.view = view;
    this.thinking?.abort();
    this.thinking = null;
    by("bot-note").textContent = "";
    if (!view || view.over || !this.isBot(view.turn) || this.game.ply !== this.game.moves.length) return;
    const thinking = new AbortController();
    this.thinking = thinking;
    const [bot, seconds] = this.selects[view.turn].value.split(" ");
    by("bot-note").textContent = t("thinking", { side: t(view.turn) });
    try {
      const asked = { ...this.game.asked(), bot, seed: this.seed };
      if (seconds) asked.time = Number(seconds);
      let told;
      for (let attempt = 0; !told; attempt++) {
        try {
          told = await ask("/api/move", asked, thinking.signal);
        } catch (error) {
          if (error.status !== 503 || attempt === 20) throw error;
          await new Promise((resolve) => setTimeout(resolve, 300));
        }
      }
      if (thinking.signal.aborted) return;
      say(t("bot_played", { side: t(view.turn), field: told.field }));
      this.game.play(told.field);
    } catch (error) {
      if (thinking.signal.aborted) return;
      this.thinking = null;
      by("bot-note").textContent = error.message;
    }
  }
}
