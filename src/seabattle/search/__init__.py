"""Tree search: `mcts`, `ismcts`, `pomcp` and `branch-mcts`, and the parts that they share.

`search_player`             budgets, threads, and the report of the root
`layout_search`             players that search in layouts drawn from the posterior
`tree_kernels`              the tree: arrays of slots with their visits and values
`simulation_kernels`        one simulation: through the tree and on to the end of a game
`expansion_kernels`         the action to take at a node: an untried one, or else by UCT
`guessed_outcomes_kernels`  simulations whose actions are (cell, hit) and (cell, miss): `mcts`
`information_sets_kernels`  simulations in a layout, which gives the answers: `ismcts`, `pomcp`
`layout_sampler_kernels`    drawing such layouts
`batch_kernels`             whole games of `ismcts` and `pomcp`
`branch_kernels`            the depth-first search of `branch-mcts`
"""
