"""Engines: players in any language, which speak a protocol over standard input and output.

`protocol` says what the messages are (docs/protocol.md explains them), `exec_player` runs
somebody's engine as a player of ours, `server` makes an engine of one of our players, and
`check` tells an author what is wrong with theirs.
"""
