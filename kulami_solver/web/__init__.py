"""The page: a local server, its API, and what the browser is given.

    server      the socket, the process: `kulami serve`
    app         routes, in one table
    guard       who is answered at all: Host, Origin, sizes, headers
    searches    at most so many searches at a time, and what becomes of one that nobody waits for
    streams     answers that arrive bit by bit: analyse, grade
    answers     answers in JSON, and the routes that are asked for them
    exchange    reading and writing every notation
    requests    what may be asked, as types
    opponents   the bots that may be asked for, and how strong
    groups      areas and chains as fields, to be shown
    shown       a position as the page draws it
    siblings    what the boards of Malawi and Just 4 Fun share; `sibling_routes` has their addresses
    malawi      Malawi's part: requests, what is drawn, values, bots
    just4fun    likewise Just 4 Fun's
    files       the page's files, and the table of small boards
    static      the page: HTML, CSS and ES modules, written by hand

The page knows no rules: after each move it asks `POST /api/position` what there is to draw. The
server needs Starlette and uvicorn, the `web` extra; nothing but `kulami serve` imports it.
"""
