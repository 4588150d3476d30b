"""Opponents who learn: players and placers that remember the games of a match.

Each is an immutable value. `after_game` returns one that knows one game more (see
`seabattle.revealed`), and `seabattle match` plays the next game with it.
"""
