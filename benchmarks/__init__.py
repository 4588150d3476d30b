"""Timings, kept apart from the tests: `python -m benchmarks [NAME...]`."""
