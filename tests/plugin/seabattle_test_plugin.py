"""A player from another package: the board from its end, or its middle."""


class Backwards:
    """The last unknown cell first."""

    def __init__(self, middle: bool = False) -> None:
        self.middle = middle

    def choose(self, observation, rng):
        unknown = observation.unknown
        return unknown[len(unknown) // 2] if self.middle else unknown[-1]
