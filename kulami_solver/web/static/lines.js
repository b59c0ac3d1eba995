// Tools for the lines of a game: comment on a move, promote a variation, delete a line.

import { allow, by, make } from "./dom.js";
import { t } from "./texts.js";
import { Tree } from "./tree.js";

const LONGEST = 1000; // characters of a comment

export class Lines {
  constructor(moves) {
    this.moves = moves;
    this.table = moves.table;
    const button = (text, click) => make("button", { type: "button", "data-text": text, click }, t(text));
    this.comment = make("textarea", { id: "comment", rows: 2, maxlength: LONGEST, input: () => this.write(this.comment.value.trim()) });
    this.comment.addEventListener("focus", () => { this.before = this.moves.tree.line; });
    this.comment.addEventListener("change", () => this.changed("comment_written", this.before));
    this.promoting = button("promote", () => this.promote());
    this.deleting = button("delete_line", () => this.remove());
    this.full = make("p", { class: "searched", role: "status" });
    this.row = make("div", { class: "row" }, this.promoting, this.deleting);
    this.tools = make("details", { id: "lines", class: "lines" }, make("summary", { "data-text": "lines" }, t("lines")),
      make("label", { for: "comment", "data-text": "comment" }, t("comment")), this.comment, this.full, this.row);
    by("flips").after(this.tools);
  }

  show() {
    const { here, tree } = this.moves;
    this.tools.hidden = !tree.root.children.length;
    if (document.activeElement !== this.comment) {
      this.comment.value = here.comment;
      this.full.textContent = "";
    }
    allow([this.promoting, !tree.isMain(here)], [this.deleting, Boolean(here.parent)], [this.comment, true]);
  }

  focus() {
    this.tools.open = true;
    this.comment.focus();
  }

  write(text) {
    const most = LONGEST.toLocaleString(document.documentElement.lang);
    this.full.textContent = this.comment.value.length < LONGEST ? "" : t("comment_full", { most });
    this.moves.here.comment = text;
    this.changed();
  }

  promote() {
    const { tree, tree: { line }, here } = this.moves;
    tree.promote(here);
    this.changed("promoted", line);
  }

  remove() {
    const { tree, tree: { line }, here, here: { parent } } = this.moves;
    const { game, game: { moves, ply } } = this.table;
    tree.remove(here);
    game.follow(tree.through(parent), ply - 1);
    this.changed("line_deleted", line, () => game.follow(moves, ply));
  }

  // Keeps the tree as it is now; `line` is the tree before, which can be brought back.
  async changed(text, line, back = () => {}) {
    const { table, moves, moves: { id } } = this;
    table.note(true);
    moves.update();
    if (!text) return;
    await table.notice(text, "take_back", () => {
      if (id !== table.id) return; // another game is on the board
      moves.tree = new Tree(line);
      back();
      this.changed();
    });
    this.row.scrollIntoView({ block: "nearest" }); // or the notice might cover it
  }
}
