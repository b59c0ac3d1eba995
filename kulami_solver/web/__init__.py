"""The page: a local server, its API, and the files for the browser.

    server      the socket, the process: `kulami serve`
    app         routes, and how answers travel
    guard       refuses foreign requests: Host, Origin, sizes, headers
    searches    a limited number of searches at a time; one that nobody waits for is ended
    messages    requests and answers as JSON, refusals among them
    places      all that the page answers, in one table
    inside      the same answers inside a browser, without a server
    games       `GamePage`: what the page asks of a game, and its bots; it serves any game
    replays     a game played again from a request; which hidden hands may be told
    files       the files that the browser gets
    static      the page: HTML, CSS and ES modules, written by hand
    kulami, malawi, just4fun
                each game's own part: `PAGE`, and `static/` with its board and its words

The page knows no rules: after each move it asks `POST /api/GAME/position` for all that it draws.
The server needs Starlette and uvicorn, the `web` extra; only `kulami serve` imports it.
"""
