// The first choices of a visitor without a link: the game, the opponents, and the level of the bots.

import { by, make } from "./dom.js";
import { capital, remember, remembered, t } from "./texts.js";

// Shows the choices, in place of those in another language.
export function showStart(table) {
  const { kind } = table;
  const games = [...by("which").options].map((option) => make("button", {
    type: "button", id: `start-${option.value}`, "aria-pressed": String(option.value === kind.name),
    click: () => {
      by("which").value = option.value;
      by("which").dispatchEvent(new Event("change"));
    },
  }, option.textContent));
  const levels = Object.keys(kind.levels);
  const level = select("start-level", Object.entries(kind.levels).map(([value, name]) => [value, t(`level_${name}`)]));
  const last = remembered(`level ${kind.name}`);
  level.value = levels.includes(last) ? last : levels[1] ?? levels[0]; // a first game can be won
  const seats = kind.parties
    ? select("start-party", kind.parties.map((party, place) => [party, place + 1]))
    : select("start-side", [...kind.seats.map((seat) => [seat, capital(t(seat))]), ["any", capital(t("drawn_by_lot"))]]);
  const submit = (event) => {
    event.preventDefault();
    play(table, level.value, seats.value);
  };
  const form = make("form", { id: "start-play", submit },
    make("label", {}, make("span", {}, t("level")), level),
    make("label", {}, make("span", {}, t(kind.parties ? "opponents" : "you_play")), seats),
    make("button", { class: "main" }, t("play_computer")));
  const way = (id, text, values) => make("button", { type: "button", id, click: () => begin(table, { values }) }, text);
  by("start")?.remove();
  document.querySelector(".board-side").before(make("section", { id: "start", class: "card", "aria-labelledby": "start-title" },
    make("h2", { id: "start-title" }, t("start_title")),
    make("p", { class: "wrong" }, table.unread && t("address_unread", { text: table.unread })),
    make("div", { class: "games", role: "group", "aria-label": t("which_game") }, ...games),
    make("p", { class: "aim" }, by("help-rules").textContent), form,
    make("div", { class: "ways" }, way("start-two", t("two_players"), false), way("start-analyse", t("analyse"), true),
      ...(kind.puzzles ? [make("a", { href: `puzzles/${kind.name}/` }, t("puzzles"))] : [])),
    ...(by("rules").hidden ? [] : [make("a", { href: by("rules").href }, t("rules"))])));
}

const select = (id, choices) => make("select", { id }, ...choices.map(([value, text]) => make("option", { value }, text)));

// Begins a game of one person against bots; `seat` is the person's side, or the party that plays.
function play(table, level, seat) {
  const { kind } = table;
  remember(`level ${kind.name}`, level);
  const party = kind.parties && { players: seat };
  const side = party ? kind.seats[0] : seat === "any" ? kind.seats[Math.floor(Math.random() * kind.seats.length)] : seat;
  begin(table, { players: { [side]: "human" }, others: level, values: false, options: party });
}

function begin({ opponent, values, game, board }, { players, others, values: shown, options = {} }) {
  opponent.take({ players, others });
  values.set(shown);
  game.take({ start: { ...game.start, ...options } }, { steps: true });
  board.focus();
}
