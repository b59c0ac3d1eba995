// How far guesses of moves have come: kept for this tab, so that they go on after a reload.

import { stored } from "./texts.js";

const NAME = "guessing";

export function keepGuesses(found) {
  try {
    sessionStorage.setItem(stored(NAME), JSON.stringify(found));
  } catch {
    // They end with a reload.
  }
}

// What is kept of the guesses in a game; null if there are none.
export function keptGuesses(id) {
  try {
    const found = JSON.parse(sessionStorage.getItem(stored(NAME)));
    return found?.id === id ? found : null;
  } catch {
    return null;
  }
}
