"""The game in a browser: `seabattle serve`.

`game_service` decides what may happen in a game, `game_view` what each seat may see of it,
and `game_store` keeps it in SQLite. `player_workers` runs players in processes of their own,
`replies` asks them for their moves, and `event_stream` wakes the pages that show a game.
`api` and `app` turn all that into HTTP; `static/` is the page. Nothing in here decides hit,
sunk or won: that is `game`.
"""
