#!/usr/bin/env bash
# Draw the board at the top of README.md, light and dark: bash scripts/data/draw_board.sh [FOLDER]
#
# FOLDER is docs/_static if it is left out. It needs kulami on the path.
set -euo pipefail
folder=${1:-docs/_static}
layout=AABCCCDD/AABEEFDD/GGBEEFDD/GGHHHIII/JJHHHKKL/MNNOOKKL/MNNPPPQQ/MNNPPPQQ
marbles=bb1r2rr/1r1r2b1/1rbb1rbr/1rr2b1b/1rrbbbr1/1bb2r2/rrbb1rb1/1brr1b1b
kulami show --kfn "$layout $marbles r e5,b5" --values --svg "$folder/board.svg"
# Another paper, and another ink for what is written on it.
sed 's/#f6f1e8/#161b22/; s/#5c4a38/#d6c9b8/g' "$folder/board.svg" >"$folder/board-dark.svg"
