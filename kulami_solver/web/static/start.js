// The first choices of a visitor without a link: the game, the opponents, and the level of the bots.

import { by, make } from "./dom.js";
import { capital, remember, remembered, t } from "./texts.js";

const MIDDLE = 0.4; // the first choice of a level, as a fraction of the list

export class Start {
  constructor(table) {
    Object.assign(this, { table, kind: table.kind });
  }

  show() {
    const { kind } = this;
    const games = [...by("which").options].map((option) => make("button", {
      type: "button", "data-which": option.value, "aria-pressed": String(option.value === kind.name),
      click: () => {
        by("which").value = option.value;
        by("which").dispatchEvent(new Event("change"));
      },
    }, option.textContent));
    const level = this.select("start-level", Object.entries(kind.levels).map(([value, name]) => [value, t(`level_${name}`)]));
    const levels = Object.keys(kind.levels);
    level.value = remembered(`level ${kind.name}`) ?? levels[Math.floor(MIDDLE * levels.length)];
    const seats = kind.parties
      ? this.select("start-party", kind.parties.map((party, place) => [party, place + 1]))
      : this.select("start-side", [...kind.seats.map((seat) => [seat, capital(t(seat))]), ["any", capital(t("drawn_by_lot"))]]);
    const form = make("form", { id: "start-play" },
      make("label", {}, make("span", {}, t("level")), level),
      make("label", {}, make("span", {}, t(kind.parties ? "opponents" : "you_play")), seats),
      make("button", { class: "main" }, t("play_computer")));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.play(level.value, seats.value);
    });
    const begin = (id, text, values) => make("button", { type: "button", id, click: () => this.begin({ values }) }, text);
    const panel = make("section", { id: "start", class: "card", "aria-labelledby": "start-title" },
      make("h2", { id: "start-title" }, t("start_title")),
      make("div", { class: "games", role: "group", "aria-label": t("which_game") }, ...games),
      make("p", { class: "aim" }, by("help-rules").textContent), form,
      make("div", { class: "ways" }, begin("start-two", t("two_players"), false), begin("start-analyse", t("analyse"), true),
        ...(kind.puzzles ? [make("a", { href: `puzzles/${kind.name}/` }, t("puzzles"))] : [])),
      ...(by("rules").hidden ? [] : [make("a", { href: by("rules").href }, t("rules"))]));
    by("start")?.remove();
    by("side").prepend(panel);
  }

  select(id, choices) {
    return make("select", { id }, ...choices.map(([value, text]) => make("option", { value }, text)));
  }

  // Begins a game of one person against bots; `seat` is the person's side, or the party that plays.
  play(level, seat) {
    const { kind } = this;
    remember(`level ${kind.name}`, level);
    const party = kind.parties && { players: seat };
    const side = party ? kind.seats[0] : seat === "any" ? kind.seats[Math.floor(Math.random() * kind.seats.length)] : seat;
    this.begin({ players: { [side]: "human" }, others: level, values: false, options: party });
  }

  begin({ players, others, values, options = {} }) {
    const { table, table: { game } } = this;
    table.opponent.take({ players, others });
    table.values.set(values);
    game.take({ start: { ...game.start, ...options } }, { steps: true });
    table.board.focus();
  }
}
