// The page as a whole: the parts that all games share, and the choice of a game. Another game is
// another load of the page, so that each game has the page for itself.

import { by, dress, make } from "./dom.js";
import { kindNamed, named } from "./record.js";
import { coming, Refusal } from "./server.js";
import { Table } from "./table.js";
import { chooseLanguage, installTheme } from "./texts.js";

// A text that may be a game if it is pasted beside all boxes: a link, a record, or several words.
const GAME = /#|^[{[(]|^\S+\s+\S+\s+\S/;

function listen(name, table) {
  const { actions } = table;
  // A part of the page that failed to load is reported like any other refusal, but takes no button away.
  addEventListener("unhandledrejection", (event) => {
    if (!(event.reason instanceof Refusal)) return;
    event.preventDefault();
    if (!by("field-wrong").firstElementChild) table.complain(event.reason.message);
  });
  addEventListener("hashchange", () => {
    if (named() !== name) location.reload();
  });
  by("which").addEventListener("change", () => {
    history.pushState({ starts: true, focus: document.querySelector(":focus-visible")?.id }, "", `#game=${by("which").value}`);
    location.reload();
  });
  document.addEventListener("click", ({ target }) => {
    const action = target.closest("[data-action]")?.dataset.action;
    if (action) actions[action]();
    target.closest("[data-close]")?.closest("dialog").close();
  });
  document.addEventListener("dragover", (event) => {
    if ([...event.dataTransfer.types].includes("Files")) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    const [dropped] = event.dataTransfer.files;
    if (!dropped) return;
    event.preventDefault();
    actions.received({ dropped });
  });
  document.addEventListener("paste", (event) => {
    if (event.target.closest?.("input, textarea")) return;
    const text = event.clipboardData.getData("text");
    if (GAME.test(text.trim())) actions.received({ text });
  });
}

// The keys are loaded after the board, or when the first key is pressed. Returns the function that
// loads them.
function listenToKeys(actions) {
  let keys = null;
  const load = () => {
    keys ??= coming(import("./keys.js")).then(({ Keys }) => new Keys(actions)).catch((error) => {
      keys = null; // try again later
      throw error;
    });
    return keys;
  };
  document.addEventListener("keydown", async (event) => {
    document.body.dataset.keys = ""; // who uses keys may type moves
    if (event.key === " " && event.target === document.body) event.preventDefault(); // or the page would scroll
    (await load()).press(event);
  });
  actions.help = async () => {
    dress();
    (await load()).explain();
    by("help").showModal();
  };
  return load;
}

// Shows the name of the game and loads its style; returns whether it has JavaScript of its own.
function furnish(name) {
  document.body.dataset.game = name;
  by("which").value = name;
  const [option] = by("which").selectedOptions;
  by("rules").href = `rules/${name}/`;
  by("rules").hidden = option.dataset.own !== "rules";
  by("game-name").textContent = option.textContent;
  const own = option.dataset.own !== undefined;
  if (own) {
    document.head.append(make("link", { rel: "stylesheet", href: new URL(`${name}/style.css`, import.meta.url) }));
    by("help-rules").dataset.text = `help_${name}`;
    by("help-values").dataset.text = `help_values_${name}`;
  }
  return own;
}

async function main() {
  installTheme();
  const name = named();
  const own = furnish(name);
  const kind = await kindNamed(name);
  by("flip").hidden = !kind.flips;
  const table = new Table(kind);
  const loadKeys = listenToKeys(table.actions);
  listen(name, table);
  const spoken = chooseLanguage(own ? ["texts", `${name}/texts`] : ["texts"], () => table.relabel());
  await table.begin(spoken);
  if (!table.starting) await loadKeys();
}

main();
