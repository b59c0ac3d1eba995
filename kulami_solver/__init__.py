"""An exact solver for the board game Kulami."""
