"""The exception tree: what the user did, what the machine did, what we did.

Every message names the thing that is wrong and the remedy; the exit code of a command follows from the class.
"""

from __future__ import annotations


class GpucurateError(Exception):
    """Root of all errors raised on purpose; `exit_code` is what the command line exits with."""

    exit_code = 1


class CheckFailed(GpucurateError):
    """A verification found something wrong with data that already exists (exit code 1)."""


class InvariantError(GpucurateError):
    """Our own fault: an account does not reconcile or a contract between rooms is broken (exit code 1)."""


class UserError(GpucurateError):
    """The recipe or the arguments are wrong (exit code 2)."""

    exit_code = 2


class RecipeError(UserError):
    """A recipe does not say what it must, or says what does not exist (exit code 2)."""


class MissingExtra(UserError):
    """A chosen engine needs a package that is not installed; the message carries the install line (exit code 2)."""

    def __init__(self, needed_by: str, package: str, extra: str) -> None:
        self.said = (needed_by, package, extra)
        super().__init__(
            f"{needed_by} needs the package {package!r}, which is not installed. "
            f"Remedy: pip install 'gpucurate[{extra}]'"
        )

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str, str]]:  # errors travel between processes
        return MissingExtra, self.said


class InputError(GpucurateError):
    """An input cannot be read at all (exit code 3); damage inside an input is a quarantine row instead."""

    exit_code = 3


class StorageError(GpucurateError):
    """The output directory cannot be written or holds damaged files (exit code 3)."""

    exit_code = 3


class DeviceError(GpucurateError):
    """The device that was asked for is not there or failed (exit code 3)."""

    exit_code = 3


class ClusterError(GpucurateError):
    """Workers or their scheduler died or are gone (exit code 3); the same command resumes."""

    exit_code = 3
