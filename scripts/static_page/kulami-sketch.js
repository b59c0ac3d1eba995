// A sketch of the position in a link to a game, in the board's place until Python is there and the page
// draws the board itself:
//
//   #layout=AAB/AAC&moves=a1,c1             #kfn=AAB/AAC r2/3 b a1
//   #game=malawi&board=3x4&moves=a4-a2      #game=just4fun&board=3x3&moves=5=2%2B3
//
// It has the fields, what lies on them, and on Kulami's newest marble a ring. It does not know which
// moves are legal: what a link says is drawn, whether it is possible or not. What it cannot read it
// leaves alone.
//
// scripts/make_static_page.py replaces the next line: the rows of the boards that have names.

const NAMED = {};

(() => {
  const SIDE = 60; // of a square; the places are those of the board itself
  const MOST = 16; // columns and rows
  const TONES = ["#d9aa6f", "#b37b48", "#e9c88d", "#c78954", "#cda25e"]; // of panels that touch
  const COLOURS = { r: "#b3191d", b: "#1c1c22" };
  const SQUARES = ["#f0d098", "#d6ac68"];
  const STONES = { r: "#a01014", b: "#123a96", g: "#0e6028", y: "#ce9600" };
  const PLATES = { r: "#f4beb6", b: "#b4ccf4", g: "#b4deb8", y: "#fae796" }; // fields that are a player's for good
  const board = document.getElementById("board");
  const said = new URLSearchParams(location.hash.slice(1).replaceAll("&amp;", "&"));

  // The parts of a position in the game's notation.
  const words = (notation) => (said.get(notation) ?? "").trim().split(/\s+/);

  // The moves that are played; `pattern` is that of one move.
  function played(pattern) {
    const moves = (said.get("moves") ?? "").toLowerCase().match(pattern) ?? [];
    return moves.slice(0, said.get("ply") ?? moves.length);
  }

  const fits = (rows) => rows.length <= MOST && rows.length > 0 && rows.every(({ length }) => length > 0 && length <= MOST);
  const sizeOf = (text) => (/^(\d+)x(\d+)$/.exec(text) ?? []).slice(1).map((count) => Math.min(count, MOST + 1));
  const counted = (text) => new Map([...text.matchAll(/([rbgy])(\d+)/g)].map(([, side, count]) => [side, Number(count)]));

  // Each game has a function that reads its links. It returns null if there is nothing to draw, else
  //
  //   rows, edge, rim       the fields from the top; the margins to the left and above, to the right and below
  //   draw(part, middle)    calls `part(name, attributes, text)` for each piece of the picture; `middle` has
  //                         the place of a field by its column and row
  //
  const games = {
    kulami() {
      const [layout = "", marbles = "-", turn = "r"] = said.has("kfn") ? words("kfn") : words("layout");
      const rows = (NAMED[layout] ?? layout).split("/");
      if (!fits(rows) || !rows.every((row) => /^[A-Za-z0-9.]+$/.test(row))) return null;
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
      for (const move of played(/[a-p]\d+/g)) {
        last = `${move.charCodeAt(0) - 97},${Number(move.slice(1)) - 1}`;
        lying.set(last, mover);
        mover = mover === "r" ? "b" : "r";
      }
      return {
        rows, edge: 40, rim: 18,
        draw(part, middle) {
          for (const { squares, tone } of panelsOf(rows)) {
            const [[x, y], [right, below]] = [squares[0], squares.at(-1)].map(middle);
            part("rect", { x: x - 28.5, y: y - 28.5, width: right - x + 57, height: below - y + 57, rx: 7, fill: tone });
          }
          rows.forEach((row, y) => [...row].forEach((name, x) => {
            if (name === ".") return;
            const colour = COLOURS[lying.get(`${x},${y}`)];
            const [cx, cy] = middle([x, y]);
            part("circle", { cx, cy, r: colour ? 22 : 14, fill: colour ?? "#5b3a1e" });
            if (last === `${x},${y}`) part("circle", { cx, cy, r: 12, fill: "none", stroke: "#fff6d6", "stroke-width": 3.5 });
          }));
        },
      };
    },

    // A figure is written as in an MFN: its side, and the number of its beads.
    malawi() {
      const [columns, count] = sizeOf(said.get("board") ?? "6x6");
      const beads = said.get("beads") ?? 2;
      const rows = said.has("mfn")
        ? words("mfn")[0].split("/").map((row) => row.match(/[rb]\d+|\./g) ?? [])
        : Array.from({ length: count ?? 0 }, (_, y) => Array(columns).fill(y === 0 ? `b${beads}` : y === count - 1 ? `r${beads}` : "."));
      if (!fits(rows)) return null;
      const lying = new Map(rows.flatMap((row, y) => row.map((one, x) => ["abcdefghijklmnop"[x] + (y + 1), one])));
      for (const move of played(/[^;\s]+/g)) {
        const [figure, ...targets] = move.split(/[-x:,]/);
        if (![figure, ...targets].every((name) => lying.has(name))) return null;
        const [side, number] = [lying.get(figure)[0], lying.get(figure).slice(1)];
        if (move.includes("-")) lying.set(targets[0], side + number).set(figure, ".");
        if (move.includes("x")) lying.set(targets[0], `${lying.get(targets[0])[0]}0`);
        if (!move.includes(":")) continue;
        lying.set(figure, `${side}0`);
        for (const name of targets) lying.set(name, side + (Number(lying.get(name).slice(1)) + 1));
      }
      return {
        rows, edge: 34, rim: 10,
        draw(part, middle) {
          for (const [name, figure] of lying) {
            const place = [name.charCodeAt(0) - 97, Number(name.slice(1)) - 1];
            const [x, y] = middle(place);
            part("rect", { x: x - 30, y: y - 30, width: 60, height: 60, fill: SQUARES[(place[0] + place[1]) % 2], stroke: "#5c3a1a", "stroke-opacity": 0.35 });
            if (figure === ".") continue;
            part("circle", { cx: x, cy: y, r: figure.slice(1) > 0 ? 22 : 16, fill: COLOURS[figure[0]] });
            part("text", { x, y: y + 7, fill: "#fff6d6", "font-size": 19 }, figure.slice(1));
          }
        },
      };
    },

    // The cards are not sketched: whose hand is open is for the page to say.
    just4fun() {
      const [layout, stones = "-", left, turn] = said.has("jfn") ? words("jfn") : [said.get("board") ?? "2006"];
      const [high, wide] = sizeOf(layout);
      const rows = wide
        ? Array.from({ length: high }, (_, y) => Array.from({ length: wide }, (_one, x) => String(y * wide + x + 1)))
        : (NAMED[layout] ?? layout).split("/").map((row) => row.split(","));
      if (!fits(rows) || !rows.flat().every((number) => /^\d+$/.test(number))) return null;
      const toPlace = left ? counted(left) : new Map([...(said.get("players") ?? "rb")].map((side) => [side, Number(said.get("stones") ?? 20)]));
      const seats = [...toPlace.keys()];
      const lying = new Map([...stones.matchAll(/(\d+):(\w+)/g)].map(([, number, counts]) => [number, counted(counts)]));
      const owner = (counts) => [...counts.keys()].find((side) => seats.every((other) => other === side || counts.get(side) >= (counts.get(other) ?? 0) + 2));
      let mover = turn ?? seats[0];
      for (const move of played(/[^;\s]+/g)) {
        const number = move.split("=")[0];
        if (number !== "discard") {
          const counts = new Map(lying.get(number));
          counts.set(mover, (counts.get(mover) ?? 0) + 1);
          const side = owner(counts);
          lying.set(number, side ? new Map([[side, counts.get(side)]]) : counts);
          toPlace.set(mover, toPlace.get(mover) - 1);
        }
        const place = seats.indexOf(mover);
        mover = [...seats.slice(place + 1), ...seats.slice(0, place)].find((side) => toPlace.get(side) > 0) ?? mover;
      }
      return {
        rows, edge: 10, rim: 10,
        draw(part, middle) {
          rows.forEach((row, y) => row.forEach((number, x) => {
            const [cx, cy] = middle([x, y]);
            const counts = lying.get(number) ?? new Map();
            part("rect", { x: cx - 28, y: cy - 28, width: 56, height: 56, rx: 7, fill: PLATES[owner(counts)] ?? "#fdfaf3", stroke: "#947a5c" });
            part("text", { x: cx - 17, y: cy - 10, fill: "#3a2e22", "font-size": 13 }, number);
            const [r, step] = counts.size > 2 ? [7, 14] : [10, 22];
            seats.filter((side) => counts.has(side)).forEach((side, place) => {
              const at = cx + (place - (counts.size - 1) / 2) * step;
              part("circle", { cx: at, cy: cy + 12, r, fill: STONES[side] });
              part("text", { x: at, y: cy + 17, fill: "#fff", "font-size": 12 }, counts.get(side));
            });
          }));
        },
      };
    },
  };

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

  const make = (name, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };

  const name = said.get("game") ?? "kulami";
  const found = Object.hasOwn(games, name) ? games[name]() : null;
  if (!found || board.querySelector("svg")) return;
  const { rows, edge, rim, draw } = found;
  const [width, height] = [Math.max(...rows.map(({ length }) => length)), rows.length].map((count) => edge + count * SIDE + rim);
  const svg = make("svg", { class: "sketch", "aria-hidden": "true", viewBox: `0 0 ${width} ${height}`, "text-anchor": "middle", "font-family": "system-ui, sans-serif", "font-weight": 700 });
  draw((part, attributes, text = "") => {
    const element = make(part, attributes);
    element.textContent = text;
    svg.append(element);
  }, (place) => place.map((one) => edge + one * SIDE + SIDE / 2));
  board.append(svg);
})();
