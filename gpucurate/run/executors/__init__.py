"""Where tasks run: in this process, on workers of this machine, or on a Dask scheduler that is already there.

The only package that imports Dask.  A task is a module-level function and plain data; results come back in any order,
and at most a few tasks a worker are under way, so that memory stays bounded by part size times workers.
"""

from gpucurate.run.executors.choice import executor
from gpucurate.run.executors.contract import Executor, InlineExecutor

__all__ = ["Executor", "InlineExecutor", "executor"]
