// The moves that may still be chosen, listed below the board with their values; the best one first if
// that is known.

import { by, make, mark } from "./dom.js";

export class Turns {
  constructor(table) {
    this.table = table;
    this.list = by("turns");
  }

  offer(moves) {
    const { kind, values: { judged } } = this.table;
    const order = judged ? [...judged.moves.keys()].filter((move) => moves.includes(move)) : moves;
    const before = new Map([...this.list.children].map((button) => [button.dataset.move, button]));
    const buttons = (order.length === moves.length ? order : moves).map((move) => {
      const worth = judged?.moves.get(move);
      const button = before.get(move) ?? this.offered(move);
      for (const name of button.getAttributeNames()) if (/^data-(?!move)/.test(name)) button.removeAttribute(name);
      for (const [name, value] of Object.entries(worth?.data ?? {})) mark(button, `data-${name}`, value);
      button.className = judged?.best.includes(move) ? "best" : "";
      button.replaceChildren(kind.moveWords?.(move) ?? move, ...(worth?.text ? [make("span", { class: `chip ${worth.kind}`, "aria-hidden": "true" }, worth.text), make("span", { class: "unseen" }, worth.spoken)] : []));
      return button;
    });
    // While the list is in use, its buttons keep their places, though better values come.
    const same = buttons.length === before.size && moves.every((move) => before.has(move));
    const used = this.list.matches(":hover") || this.list.contains(document.activeElement);
    if (!(same && used)) this.list.replaceChildren(...buttons);
  }

  offered(move) {
    const { table, table: { board } } = this;
    const [point, leave] = [move, null].map((turn) => () => board.point?.(turn));
    const click = (event) => {
      table.choose(move);
      if (event.detail === 0) board.focus(); // pressed with the keyboard: the button is about to be removed
    };
    return make("button", { type: "button", "data-move": move, click, pointerenter: point, focus: point, pointerleave: leave, blur: leave });
  }
}
