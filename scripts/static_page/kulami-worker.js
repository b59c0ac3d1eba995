// Answers in place of the page's server: Python, compiled to WebAssembly, in a worker of the browser.
//
//   asked    { kfn, scoring, time, game?, id? }    by any page: a request as for
//                                            /api/kulami/analyse, or as for another game's
//   told     { event, data, id? }            its events: progress, and one last solution or error
//
//   asked    { id, path, body, token }       any question, by static/alone.js; body and text are JSON
//   told     { id, event, text }             each event of an answer that is a stream
//            { id, status, kind, text }      the answer; an empty one after a stream
//
//   told     { loaded, whole }               bytes, while it loads; then { starts: true } and
//            { ready: true }, or { failed: why }, which kulami-visit.js explains
//
// A search occupies this thread, so no message reaches it. It checks now and then whether its token,
// the address of a blob, is still valid: revoking the token ends the search.

// scripts/make_static_page.py replaces the next line: where the files are, and how many bytes.

const PLACED = {};

const BETWEEN_LOOKS = 100; // milliseconds
const HOME = "/kulami"; // the folder of the package in Python's file system
const EMPTY_MODULE = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);

const placed = (name) => new URL(name, self.location.href).href;

function post(said) {
  self.postMessage(said);
}

// Throws the name of what is the matter, as kulami-visit.js knows it, if Python cannot run here.
function check() {
  if (typeof WebAssembly !== "object") throw new Error("no_wasm");
  const token = URL.createObjectURL(new Blob(["asked"]));
  try {
    new WebAssembly.Module(EMPTY_MODULE);
    if (isRevoked(token)) throw new Error("a token cannot be read");
  } catch {
    throw new Error("policy");
  } finally {
    URL.revokeObjectURL(token);
  }
}

// Makes the function that counts the bytes of files while Python starts.
function counting(whole) {
  let loaded = 0;
  let told = 0;
  return (body) => body.pipeThrough(new TransformStream({
    transform(part, passed) {
      loaded += part.byteLength;
      if (loaded - told > whole / 100 || loaded === whole) post({ loaded: (told = loaded), whole });
      if (loaded === whole) post({ starts: true });
      passed.enqueue(part);
    },
  }));
}

// Whether the browser has kept the files for this visit. Then they are there at once, and need no
// progress report. Besides, it keeps compiled code for the next visit only with responses of its own.
async function isKept(runtime) {
  try {
    return await caches.match(placed(`${runtime}pyodide.asm.wasm`)) !== undefined;
  } catch {
    return false; // it keeps nothing here
  }
}

// Lets `fetch` count, and give WebAssembly its type whatever the host says. A file that does not come
// makes `failed` known, as Pyodide would wait for it for ever. Returns the function that ends this.
function watch(count, failed) {
  const { fetch } = self;
  self.fetch = async (...asked) => {
    try {
      const answer = await fetch(...asked);
      if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
      const wasm = answer.url.endsWith(".wasm") && { "content-type": "application/wasm" };
      if (!count && !(wasm && answer.headers.get("content-type") !== wasm["content-type"])) return answer;
      return new Response(count ? count(answer.body) : answer.body, { headers: wasm || answer.headers });
    } catch (error) {
      failed(error);
      throw error;
    }
  };
  return () => { self.fetch = fetch; };
}

async function load() {
  const runtime = placed(PLACED.runtime);
  const [code, { loadPyodide }, { default: createPyodideModule }] = await Promise.all([
    fetch(placed(PLACED.archive)).then((answer) => answer.arrayBuffer()),
    import(`${runtime}pyodide.js`), import(`${runtime}pyodide.asm.js`),
  ]);
  const python = await loadPyodide({ indexURL: runtime, createPyodideModule });
  python.unpackArchive(code, "zip", { extractDir: HOME });
  python.runPython(`import sys; sys.path.insert(0, "${HOME}")`);
  return python.pyimport("kulami_solver.web.inside").Inside();
}

async function start() {
  self.importScripts = undefined; // Pyodide takes it for the sign of a classic worker, but does not need it
  check();
  let failed;
  const failure = new Promise((_loaded, lost) => { failed = lost; });
  const kept = await isKept(PLACED.runtime);
  if (kept) post({ starts: true });
  const watched = watch(kept ? null : counting(PLACED.whole), failed);
  const inside = await Promise.race([load(), failure]);
  watched();
  return inside;
}

// Makes a function that tells whether a token has been revoked; it checks only now and then.
function tracing(token) {
  let looked = performance.now();
  return () => {
    const now = performance.now();
    if (!token || now - looked < BETWEEN_LOOKS) return false;
    looked = now;
    return isRevoked(token);
  };
}

function isRevoked(token) {
  const look = new XMLHttpRequest();
  try {
    look.open("GET", token, false);
    look.send();
    return look.status !== 200;
  } catch {
    return true;
  }
}

function taken(said) {
  const [status, kind, text] = said;
  said.destroy();
  return { status, kind, text };
}

const answer = (inside, path, body, heard, token) => taken(inside.answer(path, body, heard, tracing(token)));

function answerPage(inside, { id, path, body, token }) {
  const heard = (event, text) => post({ id, event, text });
  post({ id, ...answer(inside, path, body, heard, token) });
}

// Answers a question from any page's JavaScript, which may have any form.
function answerAnybody(inside, { id, game = "kulami", ...question }) {
  const tell = (event, data) => post({ event, data, ...(id !== undefined && { id }) });
  try {
    const heard = (event, text) => tell(event, JSON.parse(text));
    const { kind, text } = answer(inside, `/api/${game}/analyse`, JSON.stringify(question), heard);
    return kind === "text/event-stream" ? undefined : heard("error", text);
  } catch (error) {
    return tell("error", { error: String(error.message ?? error) });
  }
}

const started = start();
started.then(() => post({ ready: true }), (error) => post({ failed: String(error.message ?? error) }));
self.addEventListener("message", async ({ data }) => {
  const inside = await started;
  if (!data?.path) return answerAnybody(inside, Object(data));
  try {
    return answerPage(inside, data);
  } catch (error) {
    return post({ failed: String(error.message ?? error) }); // Python cannot go on
  }
});
