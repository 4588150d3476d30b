"""Optimal play on small boards, and bounds on it for all."""
