"""Tree search: `mcts`, `ismcts`, `pomcp` and `branch-mcts`, and what they share.

`search_player`             the base class: budgets, threads, and the report of the root
`layout_search`             the base class of `ismcts` and `pomcp`, which sample layouts
`tree_kernels`              the tree: arrays of slots with their visits and rewards
`simulation_kernels`        the state of a simulation, and the loops that run them
`expansion_kernels`         selection and expansion: an untried action, or else by UCT
`guessed_outcomes_kernels`  simulations that guess hits and misses: `mcts`
`information_sets_kernels`  simulations in a sampled layout: `ismcts` and `pomcp`
`layout_sampler_kernels`    sampling such layouts
`batch_kernels`             whole games of `ismcts` and `pomcp`
`branch_kernels`            the depth-first search of `branch-mcts`
"""
