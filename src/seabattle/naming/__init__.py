"""Things that are made from their names: players, placers and trainers, and their parameters."""
