"""How much of the device this process may take, and the pools that keep to it.

The bound is set once, when the device is first used, from what is free then.  A verb plans with half of the pool: the
rest is for what a pool loses between blocks of different sizes, and for a verb called while another one holds memory
(`components` reads its pairs from an iterator that may call `shared`).
"""

from __future__ import annotations

from gpucurate.device.cuda.engine import Limits

SHARE = 0.8  # of the free memory; the rest is for the context, compiled kernels and other processes
TEXT = 1 << 30  # bytes of text a batch: 16 million threads, and every count in it is far below 2^31
FIRST_BLOCK = 1 << 28  # bytes a new RMM pool starts with


def set_up() -> Limits:
    """Bound CuPy's memory pool, or make RMM's and let CuPy use it where rmm is installed; what a verb may take.

    One pool for both, because what cuDF reads is handed to CuPy's arrays.  A pool that somebody else gave RMM before,
    such as `dask cuda worker --rmm-pool-size`, is used as it is.  Raises what CuPy or RMM raise.
    """
    import cupy

    free, _ = cupy.cuda.runtime.memGetInfo()
    most = int(free * SHARE)
    try:
        import rmm
        from rmm.allocators.cupy import rmm_cupy_allocator
    except ImportError:
        cupy.get_default_memory_pool().set_limit(size=most)
        return limits(most)
    resource = rmm.mr.get_current_device_resource()
    if isinstance(resource, rmm.mr.CudaMemoryResource):
        first = min(FIRST_BLOCK, most) // 256 * 256  # RMM wants multiples of 256
        pool = rmm.mr.PoolMemoryResource(resource, initial_pool_size=first, maximum_pool_size=most // 256 * 256)
        rmm.mr.set_current_device_resource(pool)
    elif isinstance(resource, rmm.mr.PoolMemoryResource):
        most = int((free + resource.pool_size()) * SHARE)
    cupy.cuda.set_allocator(rmm_cupy_allocator)
    return limits(most)


def limits(most: int) -> Limits:
    """What a verb may take of `most` bytes in all."""
    return Limits(memory=most // 2, text=TEXT)
