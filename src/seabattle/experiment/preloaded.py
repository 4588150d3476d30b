"""Imported by the process that workers are forked from (see `worker_start`)."""

import atexit

from .worker_start import preload, remove_socket

atexit.register(remove_socket)
preload()
