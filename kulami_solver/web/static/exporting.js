// Exports the position on the board, in each notation and as a picture.

import { by, make } from "./dom.js";
import { ask, file, isAlone } from "./server.js";
import { capital, sentence, t } from "./texts.js";

const NAMED = ["link", "layout", "record"];
const nameOf = (format) => (NAMED.includes(format) ? t(`format_${format}`) : format === "hagen" ? "Hagen" : format.toUpperCase());

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

// Shows the notations in `host`; `note` says when one has been copied.
export async function showExports(table, host, note) {
  const found = { link: { text: location.origin + location.pathname + table.game.hash }, ...await written(table) };
  host.replaceChildren(...Object.entries(found).map(([format, said]) => {
    const { text, lost = [], error } = said;
    const name = nameOf(format);
    const input = make("input", { id: `export-${format}`, readonly: true, value: text ?? "", disabled: error !== undefined });
    const click = async () => {
      try {
        await navigator.clipboard.writeText(text);
        note.textContent = t("copied", { name });
      } catch {
        input.select(); // a browser may refuse: then it can be copied by hand
      }
    };
    const copy = make("button", { type: "button", "aria-label": `${t("copy")}${t("colon")}${name}`, disabled: error !== undefined, click }, t("copy"));
    const more = error ? capital(sentence(said)) : lost.length ? t("loses", { what: lost.map(sentence).join(", ") }) : "";
    return make("div", { class: "export" }, make("label", { for: `export-${format}` }, name), input, copy,
      ...(more ? [make("p", { class: error ? "note wrong" : "note searched" }, more)] : []));
  }));
}

// Saves a picture of the board; shows the reason if it is refused.
export async function savePicture(table, format, note) {
  const name = `${table.kind.name}.${format}`;
  try {
    const painted = isAlone && format === "png" ? (await import("./painting.js")).painted : (drawn) => drawn;
    const asked = { ...table.asked(), format: isAlone ? "svg" : format };
    const picture = await painted(await file(`/api/${table.kind.name}/picture`, asked));
    const link = make("a", { href: URL.createObjectURL(picture), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    note.textContent = t("saved", { name });
  } catch (error) {
    note.textContent = error.message;
  }
}
