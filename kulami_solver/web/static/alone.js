// The page without a server: workers of the browser answer in its place. Only the folder that
// scripts/make_static_page.py writes loads this module.
//
//   answer(path, options)     as fetch, for addresses below /api/
//   window.kulamiReady        fulfilled once a worker can be asked
//
// A file that the page names in data-alone holds the answers to every visitor's first questions, so
// that the board appears before Python is loaded.

import { make } from "./dom.js";
import { t } from "./texts.js";

const SEARCHES = /\/(analyse|grade|move)$/;
const MOST = 3; // workers; one is kept free for questions without a search
const PATIENCE = 1500; // milliseconds for which a question waits before another worker is started, which takes two seconds of the processor
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

const questions = []; // those that wait for a worker
const workers = [];
const prepared = fetch(new URL(document.documentElement.dataset.alone, import.meta.url)).then((found) => (found.ok ? found.json() : {})).catch(() => ({}));

// Shows the progress of loading. The first report may come before the texts of the page.
const stage = make("span");
const detail = make("span");
const progress = make("p", { class: "loading", role: "status" }, stage, " ", detail);

function tell(name, more = "") {
  if (!progress.isConnected) document.body.append(progress);
  stage.dataset.text = name;
  stage.textContent = t(name) === name ? "" : t(name);
  detail.textContent = more;
}

let ready;
let failed;
window.kulamiReady = new Promise((...ends) => { [ready, failed] = ends; });
window.kulamiReady.then(() => progress.remove(), ({ message }) => tell("not_loaded", `(${message})`));

class Answerer {
  constructor() {
    this.question = null; // the one it works on
    this.isReady = false;
    this.worker = new Worker(new URL("kulami-worker.js", import.meta.url));
    this.worker.addEventListener("message", ({ data }) => this.told(data));
    this.worker.addEventListener("error", ({ message }) => this.end(message));
    workers.push(this);
  }

  get isIdle() {
    return this.isReady && !this.question;
  }

  told(said) {
    if (said.event) return this.question.write(said.event, said.text);
    if (said.failed !== undefined) return this.end(said.failed);
    if (said.whole && !workers.some((one) => one.isReady)) {
      return tell("loading", `${megabytes(said.loaded)} / ${megabytes(said.whole)} MB`);
    }
    if (said.starts && !workers.some((one) => one.isReady)) return tell("solver_starts");
    if (said.ready) {
      this.isReady = true;
      for (const question of questions) question.asked = performance.now();
      ready();
    } else if (said.status) {
      const { question } = this;
      this.question = null;
      question.done(said);
    }
    return assign();
  }

  ask(question) {
    this.question = question;
    const { path, body, token } = question;
    this.worker.postMessage({ id: 0, path, body, token });
  }

  // Removes a worker that has failed. The last one is replaced if it was ever ready.
  end(why) {
    workers.splice(workers.indexOf(this), 1);
    this.worker.terminate();
    const error = new TypeError(why);
    this.question?.fail(error);
    if (workers.length) return;
    if (this.isReady) {
      new Answerer();
      return;
    }
    failed(error);
    for (const question of questions.splice(0)) question.fail(error);
  }
}

// Gives waiting questions to idle workers. Searches leave one worker free, if there is more than one.
function assign() {
  const mayBegin = ({ searches }) => {
    const searching = workers.filter((one) => one.question?.searches).length;
    return !searches || searching < Math.max(1, workers.length - 1);
  };
  for (const worker of workers.filter((one) => one.isIdle)) {
    const next = questions.find(mayBegin);
    if (!next) break;
    questions.splice(questions.indexOf(next), 1);
    worker.ask(next);
  }
  const [oldest] = questions;
  if (!oldest || workers.length >= MOST || !workers.every((one) => one.isReady)) return;
  const waited = performance.now() - oldest.asked;
  if (waited >= PATIENCE) new Answerer();
  else setTimeout(assign, PATIENCE - waited);
}

class Question {
  constructor(asked, signal) {
    Object.assign(this, asked, { searches: SEARCHES.test(asked.path), asked: performance.now() });
    this.token = URL.createObjectURL(new Blob(["asked"]));
    this.answer = new Promise((found, lost) => Object.assign(this, { found, lost }));
    signal?.addEventListener("abort", () => this.leave(signal.reason));
  }

  write(event, text) {
    if (this.ended) return;
    if (!this.stream) {
      const body = new ReadableStream({ start: (stream) => { this.stream = stream; } });
      this.found(new Response(body, { headers: { "content-type": "text/event-stream" } }));
    }
    this.stream.enqueue(new TextEncoder().encode(`event: ${event}\ndata: ${text}\n\n`));
  }

  done({ status, kind, text }) {
    if (this.ended) return;
    this.end();
    if (this.stream) this.stream.close();
    else this.found(new Response(text, { status, headers: { "content-type": kind } }));
  }

  fail(error) {
    if (this.ended) return;
    this.end();
    this.stream?.error(error);
    this.lost(error);
  }

  // Revokes the token, by which the worker notices that the question has ended.
  end() {
    this.ended = true;
    URL.revokeObjectURL(this.token);
  }

  // Called when nobody waits for the answer any more.
  leave(reason) {
    if (questions.includes(this)) questions.splice(questions.indexOf(this), 1);
    this.fail(reason);
  }
}

const keyed = (path, body) => `${path} ${JSON.stringify(body, Object.keys(body).sort())}`;

export async function answer(path, { body, signal } = {}) {
  const known = (await prepared)[body === undefined ? path : keyed(path, JSON.parse(body))];
  signal?.throwIfAborted();
  if (known) return new Response(JSON.stringify(known), { headers: { "content-type": "application/json" } });
  const question = new Question({ path, body: body ?? "" }, signal);
  questions.push(question);
  assign();
  return question.answer;
}

new Answerer();
