// Shows where a move leads while the mouse or the focus rests on it, on the board and in words.

import { stream } from "./server.js";
import { t } from "./texts.js";
import { write } from "./values.js";

const SECONDS = 2;
const AFTER = 120; // milliseconds

export class Leading {
  constructor(values) {
    this.values = values;
    this.lines = new Map(); // the line of play after a move, by the question
  }

  show(move) {
    clearTimeout(this.waiting);
    this.search?.abort();
    const { judged, board, asked } = this.values;
    if (!judged) return undefined;
    const one = judged.moves.get(move);
    if (one?.value === undefined) {
      board.follow?.(judged.line);
      return write("line", this.values.leads());
    }
    const after = { ...asked, moves: [...asked.moves, move] };
    const key = this.values.key(after);
    const tell = (line) => {
      this.lines.set(key, line);
      board.follow?.([move, ...line]);
      write("line", t("leads_to", { field: move, margin: one.text, line: line.join(" ") }));
    };
    if (move === judged.line[0] && judged.exact) return tell(judged.line.slice(1));
    if (this.lines.has(key)) return tell(this.lines.get(key));
    this.waiting = setTimeout(() => this.ask(after, tell), AFTER);
    return undefined;
  }

  async ask(asked, tell) {
    const search = new AbortController();
    this.search = search;
    try {
      await stream(`/api/${this.values.kind.name}/analyse`, { ...asked, time: SECONDS }, (kind, told) => {
        if (kind === "solution" && !search.signal.aborted) tell(told.line);
      }, search.signal);
    } catch {
      // The mouse has moved on, or the server is busy: there is nothing to show.
    }
  }
}
