// A bot in JavaScript: it plays on the largest panel that it may.
//
//     kulami check "exec node largest.mjs" --positions 100
//
// The arena sends the whole position before each move, as `position fen KFN`.

import { createInterface } from "node:readline";

// One letter a square: r, b or a point. Numbers count squares without a marble.
const squares = (row) => row.replace(/\d+/g, (count) => ".".repeat(Number(count)));

function choose(kfn) {
  const [layout, lying, , last] = kfn.split(" ");
  const panels = layout.split("/");
  const board = lying === "-" ? [] : lying.split("/").map(squares);
  const newest = last === "-" ? [] : last.split(",");
  const panelOf = (name) => panels[Number(name.slice(1)) - 1][name.charCodeAt(0) - 97];
  const barred = newest.map(panelOf);
  const size = (panel) => layout.split(panel).length - 1;

  let best = "none";
  let largest = 0;
  panels.forEach((row, y) => [...row].forEach((panel, x) => {
    const name = String.fromCharCode(97 + x) + (y + 1);
    if (panel === "." || barred.includes(panel)) return;
    if ((board[y]?.[x] ?? ".") !== ".") return;
    if (newest.length && newest[0][0] !== name[0] && newest[0].slice(1) !== name.slice(1)) return;
    if (size(panel) > largest) [best, largest] = [name, size(panel)];
  }));
  return best;
}

let kfn = "";
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "ugi") console.log("id name largest\nugiok");
  else if (line === "isready") console.log("readyok");
  else if (line.startsWith("position fen ")) kfn = line.slice("position fen ".length);
  else if (line.startsWith("go")) console.log(`bestmove ${choose(kfn)}`);
  else if (line === "quit") process.exit();
}
