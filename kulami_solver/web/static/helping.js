// Several workers at one analysis. Workers share no memory. So the first worker goes on as it began,
// with the position and then its moves in the order of fields. The others value the positions after
// the moves, from the last move backwards, until they meet. Every value is proved by one worker.
//
//   heard(event, told)    takes a report of the first worker and returns [event, told], with the
//                         values that the others have found; the event is "solution" once all is known
//   end()                 called when nobody waits any more

const PATIENCE = 100; // milliseconds of a search before other workers are asked
const MOST = 3;
const USUAL_MEMORY = 4; // GiB, assumed where the browser does not tell
const EACH = 2; // GiB of the machine's memory for each worker

// The largest number of helping workers: one for each further core, fewer with little memory.
export function helpers({ hardwareConcurrency: cores = 1, deviceMemory: memory = USUAL_MEMORY } = navigator) {
  return Math.max(0, Math.min(MOST, cores - 1, Math.floor(memory / EACH) - 1));
}

// Whether a question can be divided among workers.
export const isDivisible = ({ all, goal = "margin" }) => all === true && goal === "margin";

const row = (field) => Number(field.slice(1));
const isEarlier = (one, other) => row(one) - row(other) || (one < other ? -1 : 1);
const outcome = (lower, upper) => (lower > 0 ? "win" : upper < 0 ? "loss" : lower === upper ? "draw" : null);
const listed = (moves = []) => (typeof moves === "string" ? moves.split(/[\s,]+/).filter(Boolean) : moves);

function valued(said, lower, upper) {
  const margin = lower === upper ? lower : null;
  return { ...said, lower, upper, margin, outcome: outcome(lower, upper), ...(margin !== null && "estimate" in said && { estimate: null }) };
}

export class Helping {
  // `ask(asked, signal)` returns the solution of another worker, or null if that gave way to other
  // questions; `tell(event, told)` is called when something has been found.
  constructor(asked, count, ask, tell) {
    Object.assign(this, { asked, count, ask, tell });
    this.found = new Map(); // solutions of the positions after moves, by move
    this.under = new Set(); // moves that other workers value now
    this.nodes = 0;
    this.leaving = new AbortController();
    this.begun = performance.now();
  }

  get ended() {
    return this.leaving.signal.aborted;
  }

  end() {
    this.leaving.abort();
  }

  heard(event, told) {
    if (!Array.isArray(told.moves)) return [event, told];
    this.told = told;
    if (event === "solution") this.end();
    else if (performance.now() - this.begun >= PATIENCE) this.begin();
    return this.said(event);
  }

  said(event) {
    const joined = this.joined();
    const isWhole = joined.line.length > 0 && joined.margin !== null && joined.moves.every((one) => one.margin !== null);
    return [isWhole ? "solution" : event, joined];
  }

  begin() {
    while (!this.ended && this.under.size < this.count) {
      const move = this.next();
      if (move === undefined) break;
      this.value(move);
    }
  }

  // The next move to value. Once the margin is known, the best move comes first: its line is needed,
  // and the first worker may not have it.
  next() {
    const { best, margin, moves } = this.joined();
    const asked = (move) => this.found.has(move) || this.under.has(move);
    if (margin !== null && best && !asked(best)) return best;
    const open = moves.filter((one) => one.margin === null && !asked(one.field)).map((one) => one.field);
    return open.sort(isEarlier).at(-1);
  }

  async value(move) {
    this.under.add(move);
    const { all, estimate, ...asked } = this.asked;
    const left = asked.time === undefined ? undefined : Math.max(0.1, asked.time - (performance.now() - this.begun) / 1000);
    try {
      const found = await this.ask({ ...asked, moves: [...listed(asked.moves), move], ...(left && { time: left }) }, this.leaving.signal);
      if (this.ended) return;
      if (found) {
        this.nodes += found.nodes;
        if (!found.exact) this.count = 0; // the time is up
        else this.found.set(move, found);
      }
    } catch {
      this.count = 0; // the first worker does it alone
    }
    this.under.delete(move);
    if (this.ended) return;
    this.tell(...this.said("progress"));
    this.begin();
  }

  // The report of the first worker, with the values that the others have found.
  joined() {
    const { told, found } = this;
    if (!found.size) return told;
    const moves = told.moves.map((one) => {
      const after = found.get(one.field);
      return after ? valued(one, -after.margin, -after.margin) : one;
    });
    const lower = Math.max(told.lower, ...moves.map((one) => one.lower));
    const upper = Math.min(told.upper, Math.max(...moves.map((one) => one.upper)));
    const seconds = Math.max(told.seconds, (performance.now() - this.begun) / 1000);
    const whole = valued({ ...told, nodes: told.nodes + this.nodes, seconds }, lower, upper);
    const proving = moves.filter((one) => one.lower === lower);
    const led = told.line.length ? undefined : proving.find((one) => found.has(one.field) && lower === upper);
    const best = led?.field ?? (proving.some((one) => one.field === told.best) ? told.best : proving[0]?.field ?? told.best);
    moves.sort((one, other) => (other.field === best) - (one.field === best) || other.lower - one.lower || other.upper - one.upper);
    const line = led ? [best, ...found.get(best).line] : told.line;
    return { ...whole, moves, best, line, exact: told.exact || whole.margin !== null };
  }
}
