// A sketch of the position in a link to a game of Kulami, in the board's place until Python is there
// and the page draws the board itself:
//
//   #layout=AAB/AAC&moves=a1,c1     #kfn=AAB/AAC r2/3 b a1
//
// It has the wood, the marbles and a ring on the newest one. It knows no rules: what a link says is
// drawn, whether it is possible or not. What it cannot read it leaves alone.
//
// scripts/make_static_page.py replaces the next line: the rows of the layouts that have names.

const NAMED = {};

(() => {
  const SIDE = 60; // of a square; the places are those of the board itself
  const EDGE = 40;
  const RIM = 18;
  const MOST = 16; // columns and rows
  const TONES = ["#d9aa6f", "#b37b48", "#e9c88d", "#c78954", "#cda25e"]; // of panels that touch
  const COLOURS = { r: "#b3191d", b: "#1c1c22" };
  const board = document.getElementById("board");
  const said = new URLSearchParams(location.hash.slice(1));

  // The rows of a link's layout, and the marbles by their places; null if there is none to draw.
  function position() {
    const [layout, marbles = "-", turn = "r"] = (said.get("kfn") ?? said.get("layout") ?? "").trim().split(/\s+/);
    const rows = (NAMED[layout] ?? layout).split("/");
    if (said.has("game") || !rows.every((row) => /^[A-Za-z0-9.]{1,16}$/.test(row)) || rows.length > MOST) return null;
    const lying = new Map();
    if (marbles !== "-") {
      marbles.split("/").forEach((row, y) => {
        let x = 0;
        for (const one of row.match(/\d+|[rb]/g) ?? []) {
          if (one in COLOURS) lying.set(`${x},${y}`, one);
          x += one in COLOURS ? 1 : Number(one);
        }
      });
    }
    let mover = (said.get("first") ?? turn)[0];
    let last = null;
    const moves = (said.get("moves") ?? "").toLowerCase().match(/[a-p]\d+/g) ?? [];
    for (const move of moves.slice(0, said.get("ply") ?? moves.length)) {
      last = `${move.charCodeAt(0) - 97},${Number(move.slice(1)) - 1}`;
      lying.set(last, mover);
      mover = mover === "r" ? "b" : "r";
    }
    return { rows, lying, last };
  }

  // The panels of a layout: the squares of each, and a tone that differs from those beside it.
  function panelsOf(rows) {
    const panels = new Map();
    const toneAt = {};
    rows.forEach((row, y) => [...row].forEach((name, x) => {
      if (name !== ".") panels.set(name, [...panels.get(name) ?? [], [x, y]]);
    }));
    return [...panels.values()].map((squares) => {
      const near = squares.flatMap(([x, y]) => [-1, 0, 1].flatMap((over) => [-1, 0, 1].map((down) => toneAt[[x + over, y + down]])));
      const tone = TONES.findIndex((_tone, number) => !near.includes(number));
      for (const square of squares) toneAt[square] = tone;
      return { squares, tone: TONES[tone] ?? TONES[0] };
    });
  }

  function draw({ rows, lying, last }) {
    const make = (name, attributes) => {
      const element = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
      return element;
    };
    const middle = (place) => EDGE + place * SIDE + SIDE / 2;
    const [width, height] = [Math.max(...rows.map(({ length }) => length)), rows.length].map((count) => EDGE + count * SIDE + RIM);
    const svg = make("svg", { class: "sketch", "aria-hidden": "true", viewBox: `0 0 ${width} ${height}` });
    for (const { squares, tone } of panelsOf(rows)) {
      const [[x, y], [right, below]] = [squares[0], squares.at(-1)].map((square) => square.map(middle));
      svg.append(make("rect", { x: x - 28.5, y: y - 28.5, width: right - x + 57, height: below - y + 57, rx: 7, fill: tone }));
    }
    rows.forEach((row, y) => [...row].forEach((name, x) => {
      if (name === ".") return;
      const colour = COLOURS[lying.get(`${x},${y}`)];
      const at = { cx: middle(x), cy: middle(y) };
      svg.append(make("circle", { ...at, r: colour ? 22 : 14, fill: colour ?? "#5b3a1e" }));
      if (last === `${x},${y}`) svg.append(make("circle", { ...at, r: 12, fill: "none", stroke: "#fff6d6", "stroke-width": 3.5 }));
    }));
    board.append(svg);
  }

  const found = position();
  if (found && !board.querySelector("svg")) draw(found);
})();
