// The page of a game without JavaScript of its own: its picture or text, and a button for each move.

import { make, parsed } from "./dom.js";
import { kindOf } from "./marks.js";
import { ask } from "./server.js";
import { signed, t } from "./texts.js";

class AnyBoard {
  constructor(host, { picked, uncover, uncovers }) {
    Object.assign(this, { host, picked, uncover, uncovers });
  }

  build() {}

  show(view) {
    this.view = view;
    const show = make("button", { type: "button", class: "uncover", click: () => this.uncover() }, t("show_my_hand"));
    this.host.replaceChildren(view.svg ? parsed(view.svg) : make("pre", { class: "drawn" }, view.text),
      ...(view.over || view.legal || !this.uncovers() ? [] : [show]));
    this.picked(view.legal ?? []);
  }

  judge() {
    this.picked(this.view.legal ?? []);
  }

  focus() {
    document.querySelector("#turns button")?.focus();
  }

  focusHand() {
    this.focus();
  }
}

const plain = (value) => signed(Math.round(1000 * value) / 1000);

function judged(told) {
  const one = ({ move, lower, upper, exact, words }) => [move, exact
    ? { kind: kindOf(lower), text: plain(lower), spoken: words, value: lower, data: { value: lower } }
    : { kind: "open", text: "", spoken: "", data: { lower, upper } }];
  return {
    words: told.words, exact: told.exact, lower: told.lower, upper: told.upper, line: told.line,
    best: told.exact && told.best ? [told.best] : [], moves: new Map(told.moves.map(one)),
  };
}

// Makes the `kind` of a game from the server's description of it.
export async function kindFor(name) {
  const { notation, options, bots, seats } = (await ask("/api/options")).games[name];
  const usual = Object.fromEntries(options.map((option) => [option.name, option.default]));
  return {
    notation, seats, usual,
    instead: [], hides: true, example: "",
    typed: (text) => text,
    meant: (text, legal) => (legal.includes(text) ? text : legal.find((move) => move.toLowerCase() === text.toLowerCase())) ?? text,
    begin: () => ({ seed: Math.floor(Math.random() * 1e6) }),
    again: (start) => ({ ...start, seed: Math.floor(Math.random() * 1e6) }),
    levels: Object.fromEntries(Object.entries(bots).map(([bot, { timed }], place) => [timed ? `${bot} 3` : bot, place ? "master" : "beginner"])),
    bots: [],
    form: options.map(({ name: option, words, kind, least, most, choices }) => ({
      name: option, text: words, check: kind === "switch", offered: kind === "choice" ? choices : null, typed: kind === "text", least, most,
    })),
    kept: ["seed", ...options.map((option) => option.name)],
    makeBoard: (host, heard) => new AnyBoard(host, heard),
    isSameBoard: () => true,
    margin: ({ returns, seats }) => returns[seats[0]],
    result: (view) => view.seats.map((seat) => `${t(seat)}${t("colon")}${plain(view.returns[seat])}`).join(", "),
    score: (view) => (view.over ? [{ text: "total", values: view.returns, total: true }] : []),
    judged,
  };
}
