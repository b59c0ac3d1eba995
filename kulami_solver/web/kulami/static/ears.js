// The panel of a field and the score by panels, for those who hear.

import { t } from "../texts.js";

export function panelWords(board, field) {
  const { fields, owner, ...panel } = board.panelOf(field);
  return `${t("panel_of", panel)}${t("colon")}${fields.join(", ")}. ${t("owned_by", { side: t(owner ?? "nobody") })}`;
}

export function scoreWords(board, { score }) {
  const panels = board.drawn.panels.map(({ fields }) => board.panelOf(fields[0]));
  return ["red", "black"].map((side) => {
    const own = panels.filter(({ owner }) => owner === side).map(({ fields, size }) => t("panel_at", { size, field: fields[0] }));
    return [`${t(side)} ${score[side]}`, ...own].join(", ");
  }).join("; ");
}
