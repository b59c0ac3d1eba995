// Asking the server. It alone knows the rules, and explains each refusal in one sentence. We ask it
// to be lenient: a refusal is then an answer, and no error in the browser's console.
//
// Addresses below /api/ are the server's routes, found relative to the page. Where the page has come
// without a server, workers of the browser answer in its place.

import { capital, learnSentences, sentence, t } from "./texts.js";

// A refusal, in the reader's language where the server's sentence has a code; `move` is the number
// of the refused move. A capital begins it, but not by the style's ::first-letter, which would also
// change what the reader has typed if its quotation begins the sentence.
export class Refusal extends Error {
  constructor(said, status) {
    super();
    this.said = said;
    this.move = said.move;
    this.status = status;
  }

  // The message without the number of the move.
  get reason() {
    return capital(sentence(this.said));
  }

  get message() {
    if (!this.move) return this.reason;
    return capital(`${t("at_move", { number: this.move })}${t("colon")}${sentence(this.said)}`);
  }
}

export const isAlone = document.documentElement.dataset.alone !== undefined;

const unreached = () => new Refusal({ code: isAlone ? "not_loaded" : "no_server" }, 0);

// Turns the failure to load something of the page into a refusal.
export const coming = (asked) => asked.catch(() => { throw unreached(); });

async function answered(path, options) {
  if (isAlone) return (await import("./alone.js")).answer(path, options);
  return fetch(new URL(`..${path}`, import.meta.url).href, options);
}

async function refusal(said, status) {
  await learnSentences();
  return new Refusal(said, status);
}

// A busy server is asked up to `times` times: a search that we have just cancelled takes a moment
// to end.
async function sent(path, body, signal, times = 1) {
  const options = { signal };
  if (body !== undefined) {
    options.method = "POST";
    options.headers = { "content-type": "application/json", prefer: "handling=lenient, codes" };
    options.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await answered(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw unreached();
  }
  if (answer.status === 503 && times > 1) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return sent(path, body, signal, times - 1);
  }
  if (answer.ok) return answer;
  let said = { error: `${answer.status} ${answer.statusText}` };
  try {
    said = await answer.json();
  } catch {
    // Not JSON: the status has to do.
  }
  throw await refusal(said, answer.status);
}

// Returns the answer; undefined if it is refused, with the reason written into an element.
export async function tried(asking, element) {
  try {
    return await asking();
  } catch (error) {
    element.textContent = error.message;
    return undefined;
  }
}

export async function ask(path, body, signal, times) {
  const said = await (await sent(path, body, signal, times)).json();
  if (said.error !== undefined) throw await refusal(said, 400);
  return said;
}

// Gets a picture; a refusal comes as JSON.
export async function file(path, body) {
  const answer = await sent(path, body);
  if (answer.headers.get("content-type").startsWith("application/json")) throw await refusal(await answer.json(), 400);
  return answer.blob();
}

// Calls `heard(kind, data)` for each event of a stream, until it ends or nobody waits for it. The
// data of "waiting" is the number of searches before it.
export async function stream(path, body, heard, signal) {
  const answer = await sent(path, body, signal, 6);
  if (!answer.headers.get("content-type").startsWith("text/event-stream")) {
    throw await refusal(await answer.json(), 400);
  }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await coming(reader.read());
    if (done) return;
    text += value;
    for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
      const kind = /^event: (.*)$/m.exec(text.slice(0, end));
      const data = /^data: (.*)$/m.exec(text.slice(0, end));
      const before = /^: (\d+)/.exec(text);
      if (before) heard("waiting", +before[1]);
      if (!kind || !data) continue;
      const told = JSON.parse(data[1]);
      if (kind[1] === "error") throw await refusal(told, 500);
      if (signal?.aborted) return;
      heard(kind[1], told);
    }
  }
}
