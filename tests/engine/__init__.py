"""Engines: the protocol, programs that break it, and the examples."""
