// Asking the server. It alone knows the rules; what it refuses, it explains in one sentence.

export class Refusal extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

async function sent(path, body, signal) {
  const options = { signal };
  if (body !== undefined) {
    options.method = "POST";
    options.headers = { "content-type": "application/json" };
    options.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal("The server does not answer: is 'kulami serve' still running?", 0);
  }
  if (answer.ok) return answer;
  let said = `${answer.status} ${answer.statusText}`;
  try {
    said = (await answer.json()).error;
  } catch {
    // Not JSON: the status has to do.
  }
  throw new Refusal(said, answer.status);
}

export const ask = async (path, body, signal) => (await sent(path, body, signal)).json();
export const file = async (path, body) => (await sent(path, body)).blob();

// Calls `heard(kind, data)` for each event of a stream, until it ends. A server that has its hands
// full is asked once more: what we have just cancelled takes a moment to end.
export async function stream(path, body, heard, signal) {
  let answer;
  for (let attempt = 0; ; attempt++) {
    try {
      answer = await sent(path, body, signal);
      break;
    } catch (error) {
      if (error.status !== 503 || attempt === 5) throw error;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
      const kind = /^event: (.*)$/m.exec(text.slice(0, end));
      const data = /^data: (.*)$/m.exec(text.slice(0, end));
      if (!kind || !data) continue;
      const told = JSON.parse(data[1]);
      if (kind[1] === "error") throw new Refusal(told.error, 500);
      heard(kind[1], told);
    }
  }
}
