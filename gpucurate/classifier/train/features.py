"""What a frozen encoder gives, kept in files: an interrupted training does not run it again over what it has seen.

A file holds the features of some windows and is named by the digest of encoder, precision and token ids, so that a
changed seed, head or label finds the same files.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpucurate.classifier.train.base import Base
from gpucurate.classifier.train.machine import Machine
from gpucurate.classifier.train.memory import in_halves
from gpucurate.classifier.train.predictors import first_hidden, model_inputs
from gpucurate.classifier.train.windows import DocumentWindows
from gpucurate.core.digests import digest_settings
from gpucurate.core.errors import StorageError
from gpucurate.run.progress import Progress
from gpucurate.store.atomic import atomic_file

WINDOWS_A_FILE = 512
WINDOWS_AT_ONCE = 16, 256  # on a CPU, where more gains nothing, and on a GPU


def features(
    base: Base, windows: DocumentWindows, machine: Machine, folder: Path, progress: Progress
) -> NDArray[np.float32]:
    """[windows, width]: the first token's last hidden state of every window.

    Windows of one length go together.  Each process makes its share of the files, all read all.  Raises DeviceError
    where memory does not suffice for one window, StorageError.
    """
    by_length = np.argsort(windows.cut.lengths(), kind="stable")
    shares = [by_length[at : at + WINDOWS_A_FILE] for at in range(0, len(by_length), WINDOWS_A_FILE)]
    settings = {"encoder": base.digest, "precision": machine.precision, "device": machine.device.type}
    names = [folder / f"{digest_settings({**settings, 'ids': windows.digest(share)})[:24]}.npy" for share in shares]
    at_once = WINDOWS_AT_ONCE[machine.device.type != "cpu"]

    def hidden(chosen: NDArray[np.int64]) -> NDArray[np.float32]:
        with machine.autocast():
            found = first_hidden(base, model_inputs(base, windows, chosen, machine))
        return np.asarray(found.cpu().numpy(), np.float32)

    with progress.stage("encode", len(shares)) as stage:
        for number, (share, name) in enumerate(zip(shares, names, strict=True)):
            if number % machine.processes == machine.rank and not name.is_file():
                made, at_once = in_halves(hidden, share, at_once, progress)
                with atomic_file(name) as temporary, temporary.open("wb") as file:
                    np.save(file, np.concatenate(made))
            stage.advance(
                len(share) if len(windows.first) == len(windows.cut.starts) else 0
            )  # windows are documents or they are not
    machine.wait()
    return _read(names, shares)


def _read(names: list[Path], shares: list[NDArray[np.int64]]) -> NDArray[np.float32]:
    read = []
    for name, share in zip(names, shares, strict=True):
        try:
            read.append(np.load(name))
        except (OSError, ValueError) as error:
            raise StorageError(
                f"cannot read {name}: {error}. Remedy: delete it and run the same command again"
            ) from error
        if len(read[-1]) != len(share):
            raise StorageError(f"{name} holds {len(read[-1])} rows, expected {len(share)}. Remedy: delete it")
    whole = np.empty((sum(map(len, shares)), read[0].shape[1]), np.float32)
    whole[np.concatenate(shares)] = np.concatenate(read)
    return whole
