"""How worker processes are started.

A worker needs a second or two of imports before it can play. On Linux, one process does them
and workers are forked from it, which takes milliseconds. It is started with the first worker, has
no threads and ends with this process. Elsewhere each worker is a new interpreter: macOS has system
libraries that do not survive a fork, and Windows has no fork.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import shutil
import sys
from collections.abc import Mapping
from multiprocessing import forkserver, resource_tracker
from multiprocessing.context import BaseContext
from typing import Any


def worker_context() -> BaseContext:
    """The context that makes worker processes, and the pipes to them."""
    if sys.platform != "linux":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([f"{__package__}.preloaded"])
    # It blocks Ctrl-C while it starts and then unblocks it, which must not happen in the middle
    # of starting a worker.
    resource_tracker.ensure_running()
    return context


def take_environment(variables: Mapping[str, str]) -> None:
    """In a worker: have the environment of the process that it works for, which may have changed
    since its first worker was started."""
    for name in os.environ.keys() - variables.keys():
        del os.environ[name]
    os.environ.update(variables)


def preload() -> None:
    """Import all that a worker needs, except the plugins of others: they may start threads."""
    from numba.core.registry import cpu_target

    from ..compiled.kernel_cache import put_off_blas
    from ..players.registry import load_built_in
    from . import workers  # noqa: F401

    load_built_in()
    put_off_blas()
    cpu_target.target_context.refresh()
    gc.freeze()  # a collection would write to memory that the workers share


def remove_socket() -> None:
    """At the end of the process that workers are forked from: remove the folder of its socket,
    which is left if the process that it worked for was killed."""
    server: Any = forkserver._forkserver
    address = server._forkserver_address
    # The process that it works for knows its process id, and removes the folder itself.
    if server._forkserver_pid is None and address and os.path.isabs(address):
        shutil.rmtree(os.path.dirname(address), ignore_errors=True)
