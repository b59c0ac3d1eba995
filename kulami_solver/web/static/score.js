// The score, part by part, and what of it is shown on the board.

import { by, make } from "./dom.js";
import { t } from "./texts.js";

const PARTS = [["panels", () => true], ["area", (s) => s === "1" || s === "2"], ["chains", (s) => s === "2" || s === "chains"]];

export function showScore(view, host) {
  const rows = PARTS.map(([name, counts]) => {
    const [red, black] = view.score[name];
    const shown = host.classList.contains(`show-${name}`);
    const button = make("button", { type: "button", "aria-pressed": String(shown), "data-show": name, "aria-label": `${t("show")}: ${t(name)}` }, t("show"));
    button.addEventListener("click", () => {
      button.setAttribute("aria-pressed", host.classList.toggle(`show-${name}`));
    });
    return make("tr", { class: counts(view.scoring) ? null : "idle" },
      make("th", { scope: "row" }, t(name)), make("td", {}, red), make("td", {}, black), make("td", {}, button));
  });
  rows.push(make("tr", { class: "total" }, make("th", { scope: "row" }, t("total")),
    make("td", { "data-score": "red" }, view.score.red), make("td", { "data-score": "black" }, view.score.black), make("td")));
  by("score-title").closest(".card").querySelector("tbody").replaceChildren(...rows);
}
