"""The page: a local server, its API, and what the browser is given.

    server      the socket, the process: `kulami serve`
    app         routes, in one table
    guard       who is answered at all: Host, Origin, sizes, headers
    searches    at most so many searches at a time, and what becomes of one that nobody waits for
    streams     answers     answers in JSON, refusals among them
    requests    what may be asked, as types, and what is wrong with a request
    registry    the games, each with its part of the page
    games       `GamePage`: what the page asks of a game; it serves any game as it stands
    replays     a game played again from a request; what may be told of a hidden hand
    opponents   the bots that may be asked for, and how strong
    files       what the browser is given
    static      the page: HTML, CSS and ES modules, written by hand
    kulami, malawi, just4fun
                what a game says of its own: `PAGE`, and `static/` with its board and its words

The page knows no rules: after each move it asks `POST /api/GAME/position` what there is to draw.
The server needs Starlette and uvicorn, the `web` extra; nothing but `kulami serve` imports it.
"""
