// The score beside the board, part by part.

import { by, make } from "./dom.js";
import { capital, t } from "./texts.js";

export function showScore({ kind, view }) {
  const parts = kind.score(view);
  const shows = parts.some(({ show }) => show);
  const heads = view.seats.map((side) => make("th", { scope: "col" }, make("span", { class: `dot ${side}` }), capital(t(side))));
  const rows = parts.map(({ text, values, total, idle, show }) => make("tr", { class: [total && shows && "total", idle && "idle"].filter(Boolean).join(" ") || null },
    make("th", { scope: "row" }, t(text)), ...view.seats.map((side) => make("td", { "data-score": total ? side : null }, values[side])),
    ...(shows ? [make("td", {}, ...(show ? [shower(show, text)] : []))] : [])));
  document.querySelector("[data-role=score]").replaceChildren(
    make("thead", {}, make("tr", {}, make("td"), ...heads, ...(shows ? [make("th", { scope: "col" }, t("show"))] : []))), make("tbody", {}, ...rows));
}

// A button that shows or hides a part of the score on the board.
function shower(show, text) {
  const list = by("board").classList;
  return make("button", {
    type: "button", "aria-pressed": String(list.contains(`show-${show}`)), "data-show": show, "aria-label": `${t("show")}${t("colon")}${t(text)}`,
    click: ({ target }) => target.setAttribute("aria-pressed", list.toggle(`show-${show}`)),
  }, t("show"));
}
