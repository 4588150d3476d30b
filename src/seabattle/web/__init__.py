"""The game in a browser: `seabattle serve`.

`games` is what may happen in a game and what each seat may know of it; `store`
keeps it in SQLite; `thinking` lets players think in processes of their own; `live`
wakes the pages that watch a game; `api` and `app` turn all that into HTTP, and
`static/` is the page. Nothing in here decides hit, sunk or won: that is `game`.
"""
