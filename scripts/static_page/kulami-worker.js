// Answers what the page's server would: Python, compiled to WebAssembly, in a worker of the browser.
//
//   asked    { kfn, scoring, time, game?, id? }    by any page: what may be posted to
//                                            /api/kulami/analyse, or to that of another game
//   told     { event, data, id? }            its events: progress, and one last solution or error
//
//   asked    { file, game?, id? }            a database of Kulami, or of game: "malawi", from the
//                                            reader's disk, a File: it answers what it has from then on
//   told     { event: database or error, data, id? }
//
//   asked    { id, path, body, token }       any question, by static/alone.js; body and text are JSON
//   told     { id, event, text }             each event of an answer that is a stream
//            { id, status, kind, text }      the answer; an empty one after a stream
//   asked    { id?, opens: game, file }      likewise a file, which is answered; without id it is not
//            { closes: name }                closes it; is not answered
//
//   told     { loaded, whole }               bytes, while it loads; then { starts: true } and
//            { ready: true }, or { failed: why }
//
// A search fills this thread, so nothing can be told to it by a message. It looks every now and then
// whether its token, the address of a blob, is still there: who takes that back ends the search.

const BETWEEN_LOOKS = 100; // milliseconds
const HOME = "/kulami"; // of the package, in Python's files

function post(said) {
  self.postMessage(said);
}

// Counts the bytes of what is fetched while Python starts.
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

// Nothing is to be told of what is there at once. And the answers stay the browser's own, with which
// it keeps what it has compiled, for the next visit.
function uncounted() {
  post({ starts: true });
  return () => {};
}

async function start() {
  self.importScripts = undefined; // by which Pyodide tells workers that are no modules; it needs none
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

// Whether a token has been taken back; it is looked for now and then.
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

// A file is read where it is needed: Python asks for bytes, and gets them at once.
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

// A question by anybody's JavaScript, which may be anything.
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
    return post({ failed: String(error.message ?? error) }); // Python has come to its end
  }
});
