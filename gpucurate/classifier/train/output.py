"""The finished model's directory: Hugging Face's layout, where it comes from, what it has seen; whole or not there."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gpucurate.classifier.examples import Example
from gpucurate.classifier.guard import LINEAGE, read_lineage, trained_on_table, write_trained_on
from gpucurate.core.digests import digest_file
from gpucurate.core.errors import UserError
from gpucurate.store.atomic import TEMPORARY, storage_errors, sync_directory, sync_file


def is_finished(out: Path, key: str) -> bool:
    """Whether the model of this very training is there already.

    Raises UserError if something else is at `out`.
    """
    if not out.exists():
        return False
    if out.is_dir() and read_lineage(out).get("training") == key:
        return True
    raise UserError(
        f"{out} is there already and was not made from these examples with these settings. "
        "Remedy: choose another --out, or remove it"
    )


@contextlib.contextmanager
def new_directory(out: Path) -> Iterator[Path]:
    """Give a temporary directory beside `out`; when the block ends well, sync its files and rename it into place.

    Raises StorageError.
    """
    temporary = out.with_name(f"{TEMPORARY}{os.getpid()}-{out.name}")
    with storage_errors(out):
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir(parents=True)
        try:
            yield temporary
            readers = stat.S_IMODE(temporary.stat().st_mode) & 0o666  # safetensors leaves out everyone but the owner
            for path in temporary.iterdir():
                path.chmod(readers)
                sync_file(path)
            sync_directory(temporary)
            temporary.rename(out)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise


def benchmark_entries(paths: Sequence[Path]) -> list[dict[str, str]]:
    """What the lineage says of benchmarks that examples were filtered with: `name` and `digest` of each file."""
    return [{"name": path.name, "digest": digest_file(path)} for path in paths]


def write_lineage(
    directory: Path, lineage: Mapping[str, Any], train: Sequence[Example], held_out: Sequence[Example]
) -> None:
    """Write `gpucurate.json` and what the guard needs.  Equal trainings write equal bytes: there is no date in it."""
    text = json.dumps(lineage, indent=1, sort_keys=True, ensure_ascii=False)
    (directory / LINEAGE).write_text(text + "\n", encoding="utf-8")
    write_trained_on(directory, [trained_on_table(train, "train"), trained_on_table(held_out, "validation")])


def write_model(directory: Path, model: Any, tokenizer: Any) -> None:
    """Weights, configuration and tokenizer as `AutoModelForSequenceClassification` and `AutoTokenizer` read them."""
    from gpucurate.steps.quality.loading import quiet_transformers

    with quiet_transformers():
        model.save_pretrained(directory)
        tokenizer.save_pretrained(directory)
