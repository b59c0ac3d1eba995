// The moves that may still be chosen, listed below the board with their values; the best one first if
// that is known.

import { by, make, mark } from "./dom.js";

export function offer(table, moves) {
  const { kind, values: { judged } } = table;
  const list = by("turns");
  const order = judged ? [...judged.moves.keys()].filter((move) => moves.includes(move)) : moves;
  const before = new Map([...list.children].map((button) => [button.dataset.move, button]));
  const buttons = (order.length === moves.length ? order : moves).map((move) => {
    const worth = judged?.moves.get(move);
    const button = before.get(move) ?? offered(table, move);
    for (const name of button.getAttributeNames()) if (/^data-(?!move)/.test(name)) button.removeAttribute(name);
    for (const [name, value] of Object.entries(worth?.data ?? {})) mark(button, `data-${name}`, value);
    button.className = judged?.best.includes(move) ? "best" : "";
    button.replaceChildren(kind.moveWords?.(move) ?? move, ...(worth?.text ? [make("span", { class: `chip ${worth.kind}`, "aria-hidden": "true" }, worth.text), make("span", { class: "unseen" }, worth.spoken)] : []));
    return button;
  });
  // While the list is in use, its buttons keep their places, though better values come.
  const same = buttons.length === before.size && moves.every((move) => before.has(move));
  const used = list.matches(":hover") || list.contains(document.activeElement);
  if (!(same && used)) list.replaceChildren(...buttons);
}

function offered(table, move) {
  const { board } = table;
  const [point, leave] = [move, null].map((turn) => () => board.point?.(turn));
  const click = (event) => {
    table.choose(move);
    if (event.detail === 0) board.focus(); // pressed with the keyboard: the button is about to be removed
  };
  return make("button", { type: "button", "data-move": move, click, pointerenter: point, focus: point, pointerleave: leave, blur: leave });
}
