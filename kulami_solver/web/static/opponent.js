// Who plays which side: people at this board, or a bot of the server's.

import { by, make } from "./dom.js";
import { ask } from "./server.js";
import { t } from "./texts.js";

export class Opponent {
  constructor(table) {
    this.table = table;
    this.game = table.game;
    this.choices = table.kind.choices;
    this.selects = {};
    this.draw();
    this.game.addEventListener("replace", () => this.draw());
  }

  draw() {
    this.seed = Math.floor(Math.random() * 1e9);
  }

  // Takes the seats of a game, an element for each; who sits there stays.
  sit(selects) {
    const before = this.selects;
    this.selects = selects;
    for (const [side, select] of Object.entries(selects)) {
      select.replaceChildren(...this.choices.map(([value, name, strength]) => make("option", { value }, t(name, { strength }))));
      select.value = before[side]?.value ?? "human";
      select.addEventListener("change", () => {
        if (select.value !== "human") this.table.values.toggle(false);
        if (this.table.kind.hides) this.table.refresh();
        else this.update(this.view);
      });
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
      const { kind } = this.table;
      const { botSeed = "bot_seed" } = kind;
      const asked = { ...this.table.asked(), bot, [botSeed]: this.seed };
      if (seconds) asked.time = Number(seconds);
      let move;
      for (let attempt = 0; !move; attempt++) {
        try {
          ({ move } = await ask(`/api/${kind.name}/move`, asked, thinking.signal));
        } catch (error) {
          if (error.status !== 503 || attempt === 20) throw error;
          await new Promise((resolve) => setTimeout(resolve, 300));
        }
      }
      if (thinking.signal.aborted) return;
      this.game.play(move);
    } catch (error) {
      if (thinking.signal.aborted) return;
      this.thinking = null;
      by("bot-note").textContent = error.message;
      if (!error.status) this.table.complain(error.message);
    }
  }
}
