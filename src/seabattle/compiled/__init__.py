"""What all compiled code shares. Features keep their own kernels beside them.

`jit`             compiling, caching, composing templates
`structs`         structs of scalars and fixed-size arrays
`bits`            counting and finding set bits
`atomics`         atomic changes to array elements
`prefetch`        asking for memory before it is needed
`random_streams`  random numbers in compiled code
`seeds`           what random streams are for, and which seeds are valid
`board_tables`    the tables of one set of rules
`rules_tables`    from `Rules` to those tables
`symmetries`      the symmetries of a board
`knowledge`       what one shooter knows
`strategy`        whole games of a compiled strategy in one call

Modules named `*_kernels` import from here and from each other, and know no rules,
observations or players.
"""
