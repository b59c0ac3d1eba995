#!/usr/bin/env python3
"""The bots of kulami-abg, a game in the browser, as opponents for matches at level 0.

    git clone https://github.com/gotankersley/kulami-abg
    export KULAMI_ABG=kulami-abg PYTHONPATH=scripts/bench
    kulami match master kulami_abg:MonteCarlo --movetime 0.2 --games 200 --seed 5
    kulami match master kulami_abg:AlphaBeta --movetime 0.2 --games 20 --seed 5

Node.js has to be installed. The programs run as they are: MonteCarlo is one worker of the game's
Monte-Carlo bot (the page starts eight, for five seconds), AlphaBeta looks as many plies ahead as it
does on the page, however long this takes. Both know panels alone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import kulami_solver as ks

# The page's scripts are loaded into one context; what they need of a browser is put in their way.
PROGRAM = """
const fs = require('fs'), vm = require('vm'), folder = process.argv[1];
globalThis.self = globalThis; globalThis.menu = {showScoreMap: false};
globalThis.importScripts = globalThis.close = () => {};
for (const name of ['lib/bit-lib', 'core/constants', 'core/bb', 'ai/ab', 'ai/mc-worker'])
  vm.runInThisContext(fs.readFileSync(folder + '/js/' + name + '.js', 'utf8'));
function place(field) { return {r: ROW[field], c: COL[field]}; }
function monteCarlo(kbn, seconds) {
  BB_initConstants();
  const bb = BB_new();
  BB_fromKBN(bb, kbn);
  const winning = BB_getWinMove(bb);
  if (winning !== false) return place(winning);
  let best = -1, found;
  globalThis.postMessage = (data) => { found = data; };
  self.onmessage({data: {id: 0, kbn, maxIterations: 1e9, maxTime: 1000 * seconds}});
  found.scores.forEach((score, k) => { if (best < 0 || score > found.scores[best]) best = k; });
  return place(best < 0 ? BB_getFirstAvailMove(bb) : found.moves[best]);
}
require('readline').createInterface({input: process.stdin}).on('line', (line) => {
  const {bot, kbn, seconds} = JSON.parse(line);
  const chosen = bot == 'ab' ? AB.getMove({toString: () => kbn}) : monteCarlo(kbn, seconds);
  console.log(JSON.stringify(chosen));
});
"""

RESERVE = 0.02  # seconds of a move that are not used
USUAL = 5.0  # seconds for a move without a clock, as on the page


class Abg:
    """A bot of kulami-abg, in a process of its own."""

    bot = ""

    def __init__(self) -> None:
        folder = Path(os.environ.get("KULAMI_ABG", "kulami-abg"))
        if not (folder / "js" / "core" / "bb.js").is_file():
            sys.exit(f"{folder} has no js/core/bb.js: set KULAMI_ABG to a copy of kulami-abg")
        self._program = subprocess.Popen(
            ["node", "-e", PROGRAM, str(folder.resolve())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def choose(self, position: ks.Position, clock: Any = None) -> str:
        seconds = USUAL if clock is None or clock.seconds is None else clock.seconds
        question = {
            "bot": self.bot,
            "kbn": position.kbn(),
            "seconds": max(seconds - RESERVE, seconds / 2),
        }
        assert self._program.stdin is not None
        assert self._program.stdout is not None
        print(json.dumps(question), file=self._program.stdin)
        at = json.loads(self._program.stdout.readline())
        return f"{chr(97 + at['c'])}{at['r'] + 1}"

    def close(self) -> None:
        self._program.terminate()
        self._program.wait()


class MonteCarlo(Abg):
    bot = "mc"


class AlphaBeta(Abg):
    bot = "ab"
