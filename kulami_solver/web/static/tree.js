// The moves of a game as a tree: the first child of each node continues the main line, the others
// are variations.
//
//   node    { move, side, comment, parent, children }
//   line    { moves: ["d4", "d7"], comments: { 0: "...", 2: "..." }, variations: { 2: [line, ...] } }
//
// Game records and kept games have lines. Comments and variations stand under the number of the move
// that they are about; 0 is before the first move.

const DEEPEST = 32; // variations within variations
const MOST = 20000; // moves, lines and comments of a tree that is accepted
const LONGEST = { move: 64, comment: 2000 }; // characters

export const isText = (value, most) => typeof value === "string" && value.length <= most;
export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

// Whether a value of any origin is a line.
export function isLine(value) {
  let left = MOST;
  const holds = (line, depth) => {
    if (depth > DEEPEST || !isObject(line) || !Array.isArray(line.moves)) return false;
    const { moves, comments = {}, variations = {} } = line;
    left -= 1 + moves.length + Object.keys(comments).length;
    return left >= 0 && isObject(comments) && isObject(variations)
      && moves.every((move) => isText(move, LONGEST.move))
      && Object.values(comments).every((text) => isText(text, LONGEST.comment))
      && Object.values(variations).every((lines) => Array.isArray(lines) && lines.every((one) => holds(one, depth + 1)));
  };
  return holds(value, 0);
}

// The line from a node on, after the moves `before`, with its variations. Variations that would be
// nested too deep follow beside the line, each with the moves that it shares with the line.
function written(first, comments = {}, depth = 0, before = []) {
  const line = { moves: [...before], comments, variations: {} };
  const beside = [];
  for (let at = first; at; [at] = at.children) {
    const number = line.moves.push(at.move);
    if (at.comment) line.comments[number] = at.comment;
    const [main, ...others] = at.parent.children;
    if (at !== main || !others.length) continue;
    if (depth < DEEPEST) line.variations[number] = others.flatMap((one) => written(one, {}, depth + 1));
    else beside.push(...others.flatMap((one) => written(one, {}, depth, line.moves.slice(0, -1))));
  }
  for (const name of ["comments", "variations"]) if (!Object.keys(line[name]).length) delete line[name];
  return [line, ...beside];
}

export class Tree {
  constructor(line) {
    this.root = { move: null, comment: "", parent: null, children: [] };
    if (line) this.add(this.root, line);
  }

  add(from, { moves, comments = {}, variations = {} }) {
    let at = from;
    at.comment ||= comments[0] ?? "";
    moves.forEach((move, index) => {
      const before = at;
      at = this.child(before, move);
      at.comment ||= comments[index + 1] ?? "";
      for (const line of variations[index + 1] ?? []) this.add(before, line);
    });
  }

  child(node, move, first = false) {
    const known = node.children.find((one) => one.move === move);
    if (known) return known;
    const made = { move, comment: "", parent: node, children: [] };
    node.children[first ? "unshift" : "push"](made);
    return made;
  }

  // Adds a played line, with the side that made each move. A new move becomes the main line if
  // `leads`, else a variation.
  grow(moves, sides, leads) {
    let at = this.root;
    moves.forEach((move, ply) => {
      at = this.child(at, move, leads);
      at.side = sides(ply);
    });
  }

  // The node after these moves.
  at(moves) {
    return moves.reduce((node, move) => node?.children.find((one) => one.move === move), this.root);
  }

  // The moves that lead to a node.
  path(node) {
    const moves = [];
    for (let at = node; at.parent; at = at.parent) moves.push(at.move);
    return moves.reverse();
  }

  // The main line from a node on, without the node itself.
  after(node) {
    const nodes = [];
    for (let [at] = node.children; at; [at] = at.children) nodes.push(at);
    return nodes;
  }

  // The moves of the line through a node to its end.
  through(node) {
    return [...this.path(node), ...this.after(node).map(({ move }) => move)];
  }

  isMain(node) {
    let at = node;
    while (at.parent && at.parent.children[0] === at) at = at.parent;
    return !at.parent;
  }

  // Puts the variation that a node is in first, where it leaves its line.
  promote(node) {
    let at = node;
    while (at.parent && at.parent.children[0] === at) at = at.parent;
    if (!at.parent) return;
    const { children } = at.parent;
    children.unshift(...children.splice(children.indexOf(at), 1));
  }

  remove(node) {
    const { children } = node.parent;
    children.splice(children.indexOf(node), 1);
  }

  // Whether the tree is one line without comments.
  get isPlain() {
    return [this.root, ...this.after(this.root)].every(({ comment, children }) => !comment && children.length < 2);
  }

  // The number of nodes from a node on, itself included.
  count(node = this.root) {
    let number = 0;
    for (const left = [node]; left.length; number += 1) left.push(...left.pop().children);
    return number;
  }

  // The line to keep with these moves: undefined if it adds nothing to them, null if it is too long.
  besides(moves) {
    if (this.isPlain && this.after(this.root).length === moves.length) return undefined;
    const { line } = this;
    return isLine(line) ? line : null;
  }

  get line() {
    const { comment, children: [first] } = this.root;
    return written(first, comment ? { 0: comment } : {})[0];
  }
}
