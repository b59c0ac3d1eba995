// Light or dark, or as the system is set.

import { by } from "./dom.js";
import { remember, remembered } from "./texts.js";

const THEMES = ["auto", "light", "dark"];

export function installTheme() {
  const { dataset } = document.documentElement;
  dataset.theme = remembered("theme") ?? "auto";
  by("theme").addEventListener("click", () => {
    dataset.theme = THEMES[(THEMES.indexOf(dataset.theme) + 1) % THEMES.length];
    remember("theme", dataset.theme);
  });
}
