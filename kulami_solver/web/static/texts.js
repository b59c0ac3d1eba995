// The texts of the page in the reader's language: one file for it, one with what only Malawi and
// Just 4 Fun say, and one with the server's sentences.
//
//   <b data-text="undo">       the element's text
//   <b data-label="undo">      its aria-label, and what appears when the mouse rests on it

import { by } from "./dom.js";

const LANGUAGES = ["en", "de", "fr", "es", "nl"];
let texts = {};
let spoken = null; // fulfilled once the texts are there
let explained = null; // likewise the server's sentences

// The text of a name, with what stands in {braces} put in.
export function t(name, values = {}) {
  const text = texts[name] ?? name;
  return text.replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");
}

// The server's sentence in the reader's language, if it has a code that we know; it is in English.
export function sentence({ error, sentence: remark = error, code, values = {} }) {
  const name = `said_${code}`;
  if (!texts[name]) return remark;
  const sides = ["side", "other"].filter((key) => values[key]);
  return t(name, { ...values, ...Object.fromEntries(sides.map((key) => [key, t(values[key])])) });
}

export function remembered(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function remember(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Where nothing may be kept, the page goes on without.
  }
}

function wanted() {
  const kept = remembered("language");
  const asked = [kept, ...navigator.languages.map((name) => name.slice(0, 2).toLowerCase())];
  return asked.find((name) => LANGUAGES.includes(name)) ?? "en";
}

async function read(language, part) {
  const answer = await fetch(`/static/texts/${language}${part}.json`);
  return answer.json();
}

async function speak(language, parts) {
  const found = await Promise.all(parts.map((part) => read(language, part)));
  texts = Object.assign({}, ...found);
  explained = null;
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll("[data-text]")) {
    element.textContent = t(element.dataset.text);
  }
  for (const element of document.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", t(element.dataset.label));
    element.title = t(element.dataset.label);
  }
}

// Loads the reader's language, and another whenever one is chosen; each time `changed` is called.
// `parts` are the ends of the files' names.
export async function chooseLanguage(parts, changed) {
  const select = by("language");
  select.value = wanted();
  select.addEventListener("change", async () => {
    remember("language", select.value);
    spoken = speak(select.value, parts);
    await spoken;
    changed();
  });
  spoken = speak(select.value, parts);
  await spoken;
  changed();
}

// Loads what the server's sentences are in the reader's language, once one is to be said. They are
// in English as they come.
export async function learnSentences() {
  await spoken;
  const language = document.documentElement.lang;
  if (language === "en") return;
  explained ??= read(language, "-said").then((found) => Object.assign(texts, found));
  await explained;
}

// Numbers with their signs: a true minus is as wide as a plus.
export const signed = (value) => (value > 0 ? `+${value}` : value < 0 ? `\u2212${-value}` : "0");

const other = (side) => (side === "red" ? "black" : "red");

function marginWords(margin, side) {
  if (margin === 0) return t("draw");
  return t(`wins_by_${margin > 0 ? side : other(side)}`, { points: Math.abs(margin) });
}

// What proved bounds of the margin of the side to move mean.
export function valueWords(lower, upper, side, goal = "margin") {
  if (lower === upper && goal === "margin") return marginWords(lower, side);
  if (lower === 0 && upper === 0) return t("draw");
  if (lower < 0 && upper > 0) {
    return t("not_proved", { low: marginWords(lower, side), high: marginWords(upper, side) });
  }
  const ahead = upper > 0 ? side : other(side);
  const [least, most] = upper > 0 ? [lower, upper] : [-upper, -lower];
  if (least > 0) {
    if (goal === "outcome") return t(`wins_${ahead}`);
    return t(`wins_from_${ahead}`, { least, most });
  }
  return t(`at_least_draw_${ahead}`, { most });
}

// Says something to those who listen to the page.
export function say(text) {
  by("live").textContent = text;
}
