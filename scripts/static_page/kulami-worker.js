// Answers in place of the page's server: Python, compiled to WebAssembly, in a worker of the browser.
//
//   asked    { kfn, scoring, time, game?, id? }    by any page: a request as for
//                                            /api/kulami/analyse, or as for another game's
//   told     { event, data, id? }            its events: progress, and one last solution or error
//
//   asked    { file, game?, id? }            a File: a database of Kulami, or of game: "malawi", from
//                                            the reader's disk; from then on it is a source of answers
//   told     { event: database or error, data, id? }
//
//   asked    { id, path, body, token }       any question, by static/alone.js; body and text are JSON
//   told     { id, event, text }             each event of an answer that is a stream
//            { id, status, kind, text }      the answer; an empty one after a stream
//   asked    { id?, opens: game, file }      opens a file; answered only if there is an id
//            { closes: name }                closes a file; not answered
//
//   told     { loaded, whole }               bytes, while it loads; then { starts: true } and
//            { ready: true }, or { failed: why }
//
// A search occupies this thread, so no message reaches it. It checks now and then whether its token,
// the address of a blob, is still valid: revoking the token ends the search.

const BETWEEN_LOOKS = 100; // milliseconds
const HOME = "/kulami"; // the folder of the package in Python's file system

function post(said) {
  self.postMessage(said);
}

// Counts the bytes that are fetched while Python starts. Returns the function that ends the counting.
function counting(whole) {
  const { fetch } = self;
  let loaded = 0;
  let told = 0;
  const counter = () => new TransformStream({
    transform(part, passed) {
      loaded += part.byteLength;
      if (loaded - told > whole / 100 || loaded === whole) post({ loaded: (told = loaded), whole });
      if (loaded === whole) post({ starts: true });
      passed.enqueue(part);
    },
  });
  self.fetch = async (...asked) => {
    const answer = await fetch(...asked);
    if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
    return new Response(answer.body.pipeThrough(counter()), { status: 200, headers: answer.headers });
  };
  return () => { self.fetch = fetch; };
}

// Whether the browser has kept the files for this visit.
async function isKept(runtime) {
  try {
    return await caches.match(new URL(`${runtime}pyodide.asm.wasm`, self.location.href)) !== undefined;
  } catch {
    return false; // it keeps nothing here
  }
}

// Files that are there at once need no progress report. Besides, the browser keeps compiled code for
// the next visit only with responses of its own, which counting would replace.
function uncounted() {
  post({ starts: true });
  return () => {};
}

async function start() {
  self.importScripts = undefined; // Pyodide takes it for the sign of a classic worker, but does not need it
  const { runtime, archive, whole } = await (await fetch("kulami-files.json")).json();
  const counted = await isKept(runtime) ? uncounted() : counting(whole);
  const code = fetch(archive).then((answer) => answer.arrayBuffer());
  const { loadPyodide } = await import(`./${runtime}pyodide.mjs`);
  const python = await loadPyodide({ indexURL: new URL(runtime, self.location.href).href });
  python.unpackArchive(await code, "zip", { extractDir: HOME });
  counted();
  python.runPython(`import sys; sys.path.insert(0, "${HOME}")`);
  return python.pyimport("kulami_solver.web.inside").Inside();
}

// Makes a function that tells whether a token has been revoked; it checks only now and then.
function tracing(token) {
  let looked = performance.now();
  return () => {
    const now = performance.now();
    if (!token || now - looked < BETWEEN_LOOKS) return false;
    looked = now;
    const look = new XMLHttpRequest();
    try {
      look.open("GET", token, false);
      look.send();
      return look.status !== 200;
    } catch {
      return true;
    }
  };
}

function taken(said) {
  const [status, kind, text] = said;
  said.destroy();
  return { status, kind, text };
}

const answer = (inside, path, body, heard, token) => taken(inside.answer(path, body, heard, tracing(token)));

// A file is read in parts: Python asks for bytes when it needs them, and gets them synchronously.
function opened(inside, game, file) {
  const reader = new FileReaderSync();
  const read = (begin, end) => new Uint8Array(reader.readAsArrayBuffer(file.slice(begin, end)));
  return taken(inside.open_file(game, file.name, file.size, read));
}

function answerPage(inside, { id, path, body, token, opens, file, closes }) {
  if (closes !== undefined) return inside.close_file(closes);
  const heard = (event, text) => post({ id, event, text });
  const said = file ? opened(inside, opens, file) : answer(inside, path, body, heard, token);
  return id === undefined ? undefined : post({ id, ...said });
}

// Answers a question from any page's JavaScript, which may have any form.
function answerAnybody(inside, { id, file, game = "kulami", ...question }) {
  const tell = (event, data) => post({ event, data, ...(id !== undefined && { id }) });
  try {
    if (file instanceof File) {
      const said = JSON.parse(opened(inside, String(game), file).text);
      return tell(said.error === undefined ? "database" : "error", said);
    }
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
  if (!data?.path && !data?.opens && !data?.closes) return answerAnybody(inside, Object(data));
  try {
    return answerPage(inside, data);
  } catch (error) {
    return post({ failed: String(error.message ?? error) }); // Python cannot go on
  }
});
