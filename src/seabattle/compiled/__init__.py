"""What all compiled code shares; the kernels of a feature are in its own folder.

`jit`             compiling, caching, composing templates
`structs`         structs of scalars and fixed-size arrays
`bits`            counting and finding set bits
`bitboards`       sets of cells
`atomics`         atomic changes to array elements
`prefetch`        prefetching memory
`random_streams`  random numbers in compiled code
`seeds`           the purposes of random streams, and valid seeds
`board_tables`    the tables of one set of rules
`rules_tables`    from `Rules` to those tables
`symmetries`      the symmetries of a board
`knowledge`       what one shooter knows
`strategy`        whole games of a compiled strategy in one call

Modules named `*_kernels` import only from here and from each other; they know nothing of
`Rules`, observations or players.
"""
