// The notice at the foot of the page.

import { by, make } from "./dom.js";
import { t } from "./texts.js";

const STAYS = 15000; // milliseconds
let going = null; // the timer that closes it

// Clears a notice that only concerned the last step.
export function passed() {
  if (going) notice();
}

// Shows a notice that can be closed; clears it without a text. One with a button for the way back
// goes by itself, unless it is in use, and with the next step.
export function notice(text, way, back) {
  clearTimeout(going);
  going = null;
  const leave = () => by("notice").matches(":hover, :focus-within") || notice();
  if (text && way) going = setTimeout(leave, STAYS);
  const button = (attributes, words, act) => make("button", {
    type: "button", ...attributes,
    click: () => {
      notice();
      act?.();
    },
  }, words);
  by("notice").replaceChildren(...(text ? [t(text)] : []), ...(text && way ? [button({}, t(way), back)] : []),
    ...(text ? [button({ class: "icon", "aria-label": t("close"), title: t("close") }, "\u2715")] : []));
}
