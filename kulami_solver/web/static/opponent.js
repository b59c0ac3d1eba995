// The players of each side: people at this board, or bots of the server.

import { by, make } from "./dom.js";
import { coming } from "./server.js";
import { t } from "./texts.js";

// The words for a player. A bot of a level is called by its level, others by name; the strength
// follows a colon, the seconds follow a space.
export function called(value, levels) {
  if (Object.hasOwn(levels, value)) return t("bot_level", { level: t(`level_${levels[value]}`) });
  const [name, strength] = value.split(/[ :]/);
  return name === "human" ? t("human") : t(`bot_${name}`, { strength });
}

export class Opponent {
  selects = {}; // by side

  constructor(table) {
    this.table = table;
    this.game = table.game;
    this.take();
    this.draw();
    this.game.addEventListener("replace", () => this.draw());
    this.game.addEventListener("change", () => this.stop());
  }

  draw() {
    this.seed = Math.floor(Math.random() * 1e9);
  }

  // Sets the players of the named sides, and `others` for all other sides.
  take({ players = {}, others = "human" } = {}) {
    this.stop();
    Object.assign(this, { players, others });
    for (const side in this.selects) this.selects[side].value = this.player(side);
  }

  player(side) {
    return Object.hasOwn(this.players, side) ? this.players[side] : this.others;
  }

  // Makes the element to choose the player of a side.
  select(side) {
    const { table, table: { kind: { bots, levels, hides } } } = this;
    const option = (value) => make("option", { value }, called(value, levels));
    const change = () => {
      this.take({ ...this, players: { ...this.players, [side]: select.value } });
      if (select.value !== "human") table.values.toggle(false);
      table.keep();
      if (hides) table.refresh();
      else this.update(this.view);
    };
    const select = make("select", { id: `player-${side}`, change },
      ...["human", ...Object.keys(levels)].map(option), make("optgroup", { label: t("other_bots") }, ...bots.map(option)));
    select.value = this.player(side);
    this.selects[side] = select;
    return select;
  }

  isBot(side) {
    return this.player(side) !== "human";
  }

  get people() {
    return this.game.seats.filter((side) => !this.isBot(side));
  }

  // Whether bots make their moves now. While values are shown, all is tried by the reader.
  get plays() {
    return !this.table.values.on && this.people.length < this.game.seats.length;
  }

  // The ply that undo (-1) or redo (1) goes to: the next one with a person to move, or the end of the
  // shown line.
  next(way) {
    const { people, plays, game, game: { moves: { length } } } = this;
    let ply = game.ply + way;
    while (plays && people.length && ply > 0 && ply < length && this.isBot(game.mover(ply))) ply += way;
    return ply;
  }

  // Drops the answer that a bot is about to give.
  stop() {
    this.thinking?.abort();
    this.thinking = null;
  }

  // Lets a bot move if it is its turn and the board shows the last position.
  async update(view) {
    this.view = view;
    this.stop();
    by("bot-note").textContent = "";
    if (view && this.plays && !this.table.due && !view.over && this.isBot(view.turn) && this.game.ply === this.game.moves.length) {
      this.thinking = new AbortController();
      this.think(view, this.thinking);
    }
    this.table.label();
  }

  async think(view, thinking) {
    const { game, game: { moves, ply } } = this;
    try {
      const move = await (await coming(import("./bots.js"))).moveOf(view.turn, this, thinking.signal);
      // The answer is played in the game that it was asked for, as long as that stands there.
      if (!thinking.signal.aborted && game.moves === moves && game.ply === ply) game.play(move, { steps: false });
    } catch (error) {
      if (thinking.signal.aborted) return;
      this.thinking = null;
      this.table.label();
      by("bot-note").textContent = error.message;
      this.table.complain(error.message, () => this.update(view));
    }
  }
}
