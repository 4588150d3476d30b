"""Imported by the process that workers are forked from (see `worker_start`)."""

from .worker_start import preload

preload()
