// The list of moves, two in a row: what each is worth and what it cost, as far as is known.

import { make } from "./dom.js";
import { signed, t } from "./texts.js";

const IN_A_ROW = 2;

// Shows moves: the text of each and who made it, its worth as text, what to say of that, its cost.
// Rows have the number of the round, or of their first move where more than two play.
export function listMoves(list, moves, ply, seats = 2) {
  const items = [];
  let row = null;
  moves.forEach(({ move, side, worth = "", spoken = "", cost = null, flips = false }, index) => {
    if (index % IN_A_ROW === 0) {
      row = make("li", {}, make("span", { class: "number" }, `${seats > 2 ? index + 1 : index / IN_A_ROW + 1}.`));
      items.push(row);
    }
    const label = [t("move_label", { number: index + 1, side: t(side), field: move })];
    if (spoken) label.push(spoken);
    if (cost) label.push(t("cost_label", { cost }));
    row.append(make("button", {
      type: "button", "data-ply": index + 1, "data-cost": cost, "aria-label": label.join(", "),
      "aria-current": index + 1 === ply ? "step" : null,
    }, make("span", {}, make("span", { class: `dot ${side}` }), move),
    make("span", {}, make("span", { class: "worth" }, worth), " ",
      make("span", { class: "cost" }, cost ? `${signed(-cost)}${flips ? "\u00a0!" : ""}` : ""))));
  });
  list.replaceChildren(...items);
  const here = list.querySelector("[aria-current]");
  if (here) list.scrollTop = here.offsetTop - list.offsetTop - list.clientHeight / 2;
}

// Has a click on a move show the position after it.
export function goWhereClicked(list, game) {
  list.addEventListener("click", (event) => {
    const ply = event.target.closest("[data-ply]")?.dataset.ply;
    if (ply) game.go(Number(ply));
  });
}
