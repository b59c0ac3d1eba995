// The players of each side: people at this board, or bots of the server.

import { by, make } from "./dom.js";
import { ask } from "./server.js";
import { t } from "./texts.js";

// The words for a player; a bot's strength or seconds stand behind a colon or a space.
function called(value) {
  const [name, strength] = value.split(/[ :]/);
  return name === "human" ? t("human") : t(`bot_${name}`, { strength });
}

export class Opponent {
  constructor(table) {
    this.table = table;
    this.game = table.game;
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
      select.replaceChildren(...["human", ...this.table.kind.bots].map((value) => make("option", { value }, called(value))));
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
    return select !== undefined && select.value !== "human";
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
      const { name, botSeed = "bot_seed" } = this.table.kind;
      const asked = { ...this.table.asked(), bot, [botSeed]: this.seed };
      if (seconds) asked.time = Number(seconds);
      const { move } = await ask(`/api/${name}/move`, asked, thinking.signal, 21);
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
