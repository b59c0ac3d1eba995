// Answers what the page's server would: Python, compiled to WebAssembly, in a worker of the browser.
//
//   asked    { kfn, scoring, time, id? }     what may be posted to /api/analyse, by any page
//   told     { event, data, id? }            its events: progress, and one last solution or error
//
//   asked    { id, path, body, token }       any question, by static/alone.js; body and text are JSON
//   told     { id, event, text }             each event of an answer that is a stream
//            { id, status, kind, text }      the answer; an empty one after a stream
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

async function start() {
  self.importScripts = undefined; // by which Pyodide tells workers that are no modules; it needs none
  const { runtime, archive, whole } = await (await fetch("kulami-files.json")).json();
  const counted = counting(whole);
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

function answer(inside, path, body, heard, token) {
  const said = inside.answer(path, body, heard, tracing(token));
  const [status, kind, text] = said;
  said.destroy();
  return { status, kind, text };
}

function answerPage(inside, { id, path, body, token }) {
  post({ id, ...answer(inside, path, body, (event, text) => post({ id, event, text }), token) });
}

// A question by anybody's JavaScript, which may be anything.
function answerAnybody(inside, { id, ...question }) {
  const tell = (event, data) => post({ event, data, ...(id !== undefined && { id }) });
  try {
    const heard = (event, text) => tell(event, JSON.parse(text));
    const { kind, text } = answer(inside, "/api/analyse", JSON.stringify(question), heard);
    if (kind !== "text/event-stream") heard("error", text);
  } catch (error) {
    tell("error", { error: String(error.message ?? error) });
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
    return post({ failed: String(error.message ?? error) }); // Python has come to its end
  }
});
