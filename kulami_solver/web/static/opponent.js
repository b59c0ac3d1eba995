// Who plays which side: people at this board, or a bot of the server's.

import { by, make } from "./dom.js";
import { say, t } from "./texts.js";

export class Opponent {
  // `choices` are what can be chosen: the name the server knows, with its seconds if it has some,
  // its text, and how strong; `selects` has an element for each side. `hide()` is called when a bot
  // is given a side: its opponent is not to see the values unasked. `chosen(asked, signal)` asks
  // for a move, and `spoken(side, move)` says it.
  constructor(game, { choices, selects, hide, chosen, spoken }) {
    this.game = game;
    Object.assign(this, { choices, hide, chosen, spoken });
    this.draw();
    this.sit(selects);
    game.addEventListener("replace", () => this.draw());
  }

  draw() {
    this.seed = Math.floor(Math.random() * 1e9);
  }

  // Takes the seats of a game, an element for each.
  sit(selects) {
    this.selects = selects;
    for (const select of Object.values(selects)) {
      select.addEventListener("change", () => {
        if (select.value !== "human") this.hide();
        this.update(this.view);
      });
    }
  }

  relabel() {
    for (const select of Object.values(this.selects)) {
      const chosen = select.value || "human";
      select.replaceChildren(...this.choices.map(([value, name, strength]) => make("option", { value }, t(name, { strength }))));
      select.value = chosen;
    }
  }

  isBot(side) {
    const select = this.selects[side];
    return select !== undefined && select.value !== "" && select.value !== "human";
  }

  get people() {
    return Object.keys(this.selects).filter((side) => !this.isBot(side));
  }

  // How far back undo goes: to where a person is to move.
  undone() {
    let ply = this.game.ply - 1;
    const people = this.people.length;
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
      const asked = { ...this.game.asked(), bot, [this.game.botSeed]: this.seed };
      if (seconds) asked.time = Number(seconds);
      let move;
      for (let attempt = 0; !move; attempt++) {
        try {
          move = await this.chosen(asked, thinking.signal);
        } catch (error) {
          if (error.status !== 503 || attempt === 20) throw error;
          await new Promise((resolve) => setTimeout(resolve, 300));
        }
      }
      if (thinking.signal.aborted) return;
      say(this.spoken(view.turn, move));
      this.game.play(move);
    } catch (error) {
      if (thinking.signal.aborted) return;
      this.thinking = null;
      by("bot-note").textContent = error.message;
    }
  }
}
