"""Whether NeMo Curator can run here, asked before any text is written."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from gpucurate.core.errors import DeviceError, MissingExtra, UserError
from gpucurate.device.choice import what_is_lacking

ENGINE = "near_duplicates with engine 'nemo'"
KNOWN = "1.4."  # the files that `groups` reads are NeMo's own affair and may change with any other version
# Imported at the top of nemo_curator.stages.deduplication.fuzzy; NeMo's base package does not require them.
RAPIDS = ("cudf", "cudf_streaming", "pylibcugraph", "raft_dask", "rapidsmpf", "rmm")


def require_nemo() -> str:
    """The version of NeMo Curator installed.

    Raises MissingExtra if it or a part of RAPIDS it needs is absent, UserError for a version that was not read,
    DeviceError without a usable GPU.
    """
    try:
        found = version("nemo-curator")
    except PackageNotFoundError:
        raise MissingExtra(ENGINE, "nemo-curator", "nemo") from None
    if not found.startswith(KNOWN):
        raise UserError(
            f"{ENGINE} knows the files of NeMo Curator {KNOWN}*, but {found} is installed. "
            "Remedy: pip install 'gpucurate[nemo]'"
        )
    for package in RAPIDS:
        if find_spec(package) is None:
            raise MissingExtra(ENGINE, package, "nemo")
    lacking = what_is_lacking()
    if lacking is not None:
        raise DeviceError(f"{ENGINE} needs a GPU, but {lacking}, or engine: native")
    return found
