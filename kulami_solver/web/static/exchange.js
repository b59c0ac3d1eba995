// A game or a position as text, or as a picture: what comes in, and what goes out.
//
// In comes a text that is pasted or dropped on the page or put into the box of a dialog: a link, also
// one to another game, or a record. Out go the position in each notation, and pictures of it.

import { by, download, make } from "./dom.js";
import { named } from "./record.js";
import { ask, file, tried } from "./server.js";
import { capital, learnSentences, sentence, t } from "./texts.js";
import { isLine } from "./tree.js";

const SCALE = 4 / 3; // of a picture: a square is 80 pixels wide, as in those of kulami show
const NAMED = ["link", "layout", "record"];
const nameOf = (format) => (NAMED.includes(format) ? t(`format_${format}`) : format === "hagen" ? "Hagen" : format.toUpperCase());

// The part of a link behind the #; undefined if the text is none. A record may have a # in a comment.
const linked = (text) => /^[^{[\n]*#(\S.*)$/.exec(text)?.[1];

// The text of a file. Old Notepad writes UTF-16, with a mark at its beginning.
export async function textOf(blob) {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const coded = { "255,254": "utf-16le", "254,255": "utf-16be" }[bytes.slice(0, 2)] ?? "utf-8";
  return new TextDecoder(coded).decode(bytes);
}

// Reads a game record; null if the text is none, or does not say how the game begins.
function recorded(text, kind) {
  try {
    const record = JSON.parse(text);
    const start = kind.recorded?.(record);
    const { moves, comments, variations } = record;
    const line = { moves, comments, variations };
    return start && isLine(line) ? { start, moves, line } : null;
  } catch {
    return null; // not a record
  }
}

// Opens the game in a text; returns whether there is one. Throws the server's refusal.
export async function takeIn(text, { kind, game }) {
  const link = linked(text.trim());
  if (link && named(link) !== kind.name) {
    location.hash = link; // the page is loaded anew
    return true;
  }
  const read = link ? game.read(link) : recorded(text, kind);
  if (!read) return false;
  await ask(`/api/${kind.name}/position`, { ...read.start, moves: read.moves, ...read.counts });
  game.replace(read);
  return true;
}

// The position in each notation, from the server. The record of a game with variations or comments
// contains the whole game, with them.
async function written(table) {
  const asking = (...moves) => ask(`/api/${table.kind.name}/export`, table.asked(...moves));
  const found = await asking();
  const tree = (await table.parts.moves)?.grow();
  if (!found.record?.text || !tree || tree.isPlain) return found;
  const { line } = tree;
  const { record } = await asking(0, ...line.moves);
  const said = JSON.parse(record.text);
  if (said.moves.length !== line.moves.length) return found; // the record also lists the moves of chance
  const whole = { ...said, ...line, ...table.kind.chance?.(table.game.start) };
  return { ...found, record: { ...record, text: JSON.stringify(whole) } };
}

// Shows the link and the picture in a dialog, and behind them the notations; a note says what has been
// copied or saved.
export async function share(table) {
  await learnSentences(); // for remarks on what a notation leaves out
  by("sharing")?.remove(); // it may be in another language
  const host = make("div", { id: "exports", class: "exports" });
  const note = make("p", { id: "export-note", class: "searched", role: "status" });
  const dialog = make("dialog", { id: "sharing", "aria-labelledby": "sharing-title" },
    make("div", { class: "head" }, make("h2", { id: "sharing-title" }, t("share")),
      make("button", { type: "button", class: "icon", "data-close": "", "aria-label": t("close") }, "\u2715")), host, note);
  document.body.append(dialog);
  dialog.showModal();
  const others = await tried(() => written(table), note); // the link needs no server
  const found = { link: { text: location.origin + location.pathname + table.game.hash }, ...others };
  const [link, ...programs] = Object.entries(found).map(([format, said]) => {
    const { text, lost = [], error } = said;
    const name = nameOf(format);
    const input = make("input", { id: `export-${format}`, readonly: true, value: text ?? "", disabled: error !== undefined });
    const click = async () => {
      try {
        await navigator.clipboard.writeText(text);
        note.textContent = t("copied", { name });
      } catch {
        input.select(); // some browsers refuse; others copy nothing on a page that came by plain http
        note.textContent = t("copy_by_hand");
      }
    };
    const copy = make("button", { type: "button", "aria-label": `${t("copy")}${t("colon")}${name}`, disabled: error !== undefined, click }, t("copy"));
    const more = error ? capital(sentence(said)) : lost.length ? t("loses", { what: lost.map(sentence).join(", ") }) : "";
    return make("div", { class: "export" }, make("label", { for: `export-${format}` }, name), input, copy,
      ...(more ? [make("p", { class: error ? "note wrong" : "note searched" }, more)] : []));
  });
  const save = make("button", { type: "button", id: "save-picture", click: () => savePicture(table, note) }, t("picture"));
  host.replaceChildren(link, make("div", { class: "row" }, save),
    make("details", { class: "programs" }, make("summary", {}, t("for_programs")), ...programs));
}

// Paints an SVG picture as a PNG.
async function painted(svg) {
  const image = new Image();
  image.src = URL.createObjectURL(svg);
  try {
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(image.naturalWidth * SCALE);
    canvas.height = Math.round(image.naturalHeight * SCALE);
    const brush = canvas.getContext("2d");
    brush.fillStyle = "white"; // behind the round corners
    brush.fillRect(0, 0, canvas.width, canvas.height);
    brush.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((found) => { canvas.toBlob(found, "image/png"); });
  } finally {
    URL.revokeObjectURL(image.src);
  }
}

// Saves a picture of the board; shows the reason if it is refused.
async function savePicture(table, note) {
  const name = `${table.kind.name}.png`;
  await tried(async () => {
    download(await painted(await file(`/api/${table.kind.name}/picture`, table.asked())), name);
    note.textContent = t("saved", { name });
  }, note);
}
