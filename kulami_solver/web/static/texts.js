// The reader's choices: the language, and light or dark.
//
// The texts of the page are in the reader's language: one file for all games, one for the game on the
// page, and one with the server's sentences, whose templates kulami_solver/errors.py explains.
//
//   <b data-text="undo">       the element's text
//   <b data-label="undo">      its aria-label and its tooltip

import { by } from "./dom.js";

const HOLE = /\{(\w+)(!q\d*)?(?::(,|word|and|or)|\|([^|{}]*)\|([^|{}]*))?\}/g;
const LANGUAGES = ["en", "de", "fr", "es", "nl"];
const THEMES = ["auto", "light", "dark"];
let texts = Object.create(null); // a name from outside finds nothing else in it
let spoken = null; // fulfilled once the texts are loaded
let templates = {}; // of the server's sentences
let explained = null; // fulfilled once the templates are loaded

// The text of a name, with values in place of {braces}; {count|field|fields} is "field" for one.
export function t(name, values = {}) {
  return (texts[name] ?? name).replace(HOLE, (_hole, key, _marks, _form, one, several) => {
    const value = String(values[key] ?? "");
    return one === undefined ? value : value === "1" ? one : several;
  });
}

// A text with a capital first letter.
export const capital = (text) => text.charAt(0).toLocaleUpperCase(document.documentElement.lang) + text.slice(1);

// The server's sentence in the reader's language if its code is known, else in English.
export function sentence({ error, sentence: remark = error, code, values = {}, places = [] }) {
  if (code === "no_server") return t("said_no_server");
  if (code === "not_loaded" || code === "not_kept") return t(code);
  const said = filled(code, values);
  return said === null ? remark : [...places.map(sentence), said].join(t("colon"));
}

// The template of a code, with values in place of {braces}; null if there is none.
function filled(code, values) {
  if (!Object.hasOwn(templates, code ?? "")) return null;
  return templates[code].replace(HOLE, (hole, name, marks, form, one, several) => {
    if (!Object.hasOwn(values, name)) return hole;
    return one === undefined ? written(values[name], marks, form) : values[name] === 1 ? one : several;
  });
}

function written(value, marks, form) {
  if (Array.isArray(value)) {
    const parts = value.map((one) => written(one, marks));
    if (!["and", "or"].includes(form) || parts.length < 2) return parts.join(", ");
    return filled(`list_${form}`, { before: parts.slice(0, -1).join(", "), last: parts.at(-1) }) ?? parts.join(", ");
  }
  if (value?.code) return filled(value.code, value.values ?? {}) ?? value.sentence ?? "";
  if (form === "word") return filled(value, {}) ?? value;
  if (form === "," && typeof value === "string") return value.replace(".", (0.5).toLocaleString(document.documentElement.lang)[1]);
  if (typeof value === "number") return value.toLocaleString(document.documentElement.lang);
  return marks ? (filled("quotation", { text: value }) ?? `\u201c${value}\u201d`) : value;
}

// The name of what is stored. Copies of the page on one host add their folder to it, which
// kulami-visit.js finds out.
export const stored = (name) => name + (document.documentElement.dataset.store ?? "");

export function remembered(name) {
  try {
    return localStorage.getItem(stored(name));
  } catch {
    return null;
  }
}

// A value that is remembered as JSON; undefined if there is none that `fits`.
export function recalled(name, fits) {
  try {
    const value = JSON.parse(remembered(name));
    return fits(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

// Returns whether the browser keeps the value; if it does not, the page goes on without.
export function remember(name, value) {
  try {
    localStorage.setItem(stored(name), value);
    return true;
  } catch {
    return false;
  }
}

// Lets the reader choose light or dark, or as the system is set.
export function installTheme() {
  const { dataset } = document.documentElement;
  dataset.theme = remembered("theme") ?? "auto";
  by("theme").addEventListener("click", () => {
    dataset.theme = THEMES[(THEMES.indexOf(dataset.theme) + 1) % THEMES.length];
    remember("theme", dataset.theme);
  });
}

function wanted() {
  const kept = remembered("language");
  const asked = [kept, ...navigator.languages.map((name) => name.slice(0, 2).toLowerCase())];
  return asked.find((name) => LANGUAGES.includes(name)) ?? "en";
}

const read = async (folder, language) => (await fetch(new URL(`${folder}/${language}.json`, import.meta.url))).json();

async function speak(language, folders) {
  const found = await Promise.all(folders.map((folder) => read(folder, language)));
  if (by("language").value !== language) return; // another one has been chosen meanwhile
  texts = Object.assign(Object.create(null), ...found);
  explained = null;
  templates = {};
  document.documentElement.lang = language;
  translate(document);
}

// Writes the texts of a part of the page.
export function translate(part) {
  for (const element of part.querySelectorAll("[data-text]")) {
    element.textContent = t(element.dataset.text);
  }
  for (const element of part.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", t(element.dataset.label));
    element.title = t(element.dataset.label);
  }
}

// Loads the texts of the reader's language from `folders`, and again whenever another language is
// chosen; calls `changed` each time. The choice is remembered at once: the page may be left before the
// texts have come.
export async function chooseLanguage(folders, changed) {
  const select = by("language");
  let left = false; // what is still loading then fails
  addEventListener("pagehide", () => { left = true; });
  addEventListener("pageshow", () => { left = false; });
  select.value = wanted();
  select.addEventListener("change", async () => {
    const language = select.value;
    remember("language", language);
    spoken = speak(language, folders).catch(() => {
      if (left || select.value !== language) return;
      select.value = document.documentElement.lang;
      remember("language", select.value);
    });
    await spoken;
    changed();
  });
  spoken = speak(select.value, folders);
  await spoken;
  changed();
}

// Loads the templates of the server's sentences in the reader's language, when one is first needed.
// The server's sentences come in English; `english` loads the English templates, too, for sentences
// that have only a code.
export async function learnSentences({ english = false } = {}) {
  await spoken;
  const language = document.documentElement.lang;
  if (language === "en" && !english) return;
  explained ??= read("sentences", language).then((found) => { templates = found; });
  await explained.catch((error) => {
    explained = null; // the server is gone: try again later
    if (english) throw error;
  });
}

// A number with `digits` decimals, and with the point or comma of the reader's language.
export function decimal(value, digits) {
  const exactly = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return value.toLocaleString(document.documentElement.lang, exactly);
}

// A number with its sign; a true minus is as wide as a plus.
export const signed = (value) => (value > 0 ? `+${value}` : value < 0 ? `\u2212${-value}` : "0");

// Announces a text to screen readers.
export function say(text) {
  by("live").textContent = text;
}
