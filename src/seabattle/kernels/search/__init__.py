"""Tree search, in parts that variants put together.

`tree`     the tree: arrays of slots, visits on the way down, worth on the way back, UCT
`walk`     one walk through the tree and on to the end of a game, and the loop over them
`guess`    walks whose actions are (cell, hit) and (cell, miss): `mcts`
`branch`   the depth-first search of `branch-mcts`
"""
