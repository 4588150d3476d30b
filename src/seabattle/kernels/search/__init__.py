"""Tree search, in parts that variants put together.

`tree`     the tree: arrays of slots, visits on the way down, worth on the way back
`walk`     one walk through the tree and on to the end of a game, and the loop over them
`expand`   the action to take at a node: an untried one, or else by UCT
`guess`    walks whose actions are (cell, hit) and (cell, miss): `mcts`
`history`  walks in a layout, which gives the answers: `ismcts` and `pomcp`
`belief`   drawing such layouts
`games`    whole games of `ismcts` and `pomcp`
`branch`   the depth-first search of `branch-mcts`
"""
