"""Golden recordings: what players shot, commands printed and the web API answered.

They catch any unintended change of strategy, randomness, dealing or output. Each
`.json` file here holds one line per case. `make golden` records them all again; commit
the difference only if you meant it.
"""
