// The keys, in one table: their actions, and their texts in the help.

import { by, make } from "./dom.js";
import { t } from "./texts.js";

// Elements in which keys have another meaning already: most keys, the space, or Escape.
const TYPED = "input, textarea, select, [role=tab], dialog";
const TAKEN = { " ": `${TYPED}, button, summary, a`, Escape: "select" };

export class Keys {
  constructor(actions) {
    this.keys = [
      { keys: ["Enter"], text: "key_play" },
      { keys: ["\u2190", "\u2191", "\u2192", "\u2193"], text: "key_arrows" },
      { keys: [" "], shown: ["Space"], text: "key_best", run: actions.best },
      { keys: ["v"], text: "key_values", run: actions.values },
      { keys: ["u", "ArrowLeft"], shown: ["u", "\u2190"], text: "key_undo", run: actions.undo },
      { keys: ["r", "ArrowRight"], shown: ["r", "\u2192"], text: "key_redo", run: actions.redo },
      { keys: ["Home", "End"], text: "key_ends", run: (key) => (key === "Home" ? actions.toStart() : actions.toEnd()) },
      { keys: ["n", "b"], text: "key_mistake", run: (key) => actions.mistake(key === "n" ? 1 : -1) },
      { keys: ["j", "k"], text: "key_variation", run: (key) => actions.variation(key === "j" ? 1 : -1) },
      { keys: ["c"], text: "key_comment", run: actions.comment },
      ...(actions.flip ? [{ keys: ["f"], text: "key_flip", run: actions.flip }] : []),
      ...(actions.hands ? [{ keys: ["h"], text: "key_hands", run: actions.hands }] : []),
      { keys: ["g"], text: "key_board", run: actions.board },
      ...(actions.panel ? [{ keys: ["p"], text: "key_panel", run: actions.panel }] : []),
      { keys: ["s"], text: "key_score", run: () => actions.hear("score") },
      { keys: ["l"], text: "key_last", run: () => actions.hear("last") },
      { keys: ["m"], text: "key_moves", run: () => actions.hear("moves") },
      { keys: ["Escape"], shown: ["Esc"], text: "key_dismiss", run: actions.dismiss },
      { keys: ["?"], text: "key_help", run: actions.help },
    ];
  }

  press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.closest?.(TAKEN[event.key] ?? TYPED)) return;
    if (document.querySelector("dialog[open]")) return;
    const found = this.keys.find((one) => one.run && one.keys.includes(event.key));
    if (!found) return;
    event.preventDefault();
    found.run(event.key);
  }

  // Writes the keys into the help, in the reader's language.
  explain() {
    by("help").querySelector("tbody").replaceChildren(...this.keys.map(({ keys, shown, text }) => make("tr", {},
      make("th", { scope: "row" }, ...(shown ?? keys).flatMap((name) => [make("kbd", {}, name), " "])), make("td", {}, t(text)))));
  }
}
