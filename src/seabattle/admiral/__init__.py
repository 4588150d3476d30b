"""`admiral`, the strongest player: a tuned base, trees of the end-game, and rollouts.

`player`                    the player: which stage decides a move
`weighted_density_kernels`  the base: placements with tuned weights
`weights`                   those weights, one small file per set of rules in `tuned/`
`choice_kernels`            its choice: the highest score or, while hunting, the lowest cost
`endgame_kernels`           all layouts that are left, and greedy play on them
`trees_kernels`             shots compared on these layouts
`tree_games_kernels`        whole games of the base with these trees
`rollout_kernels`           sampled layouts, played to the end by the base
"""
