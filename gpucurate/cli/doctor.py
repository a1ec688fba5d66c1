"""`gpucurate doctor`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from gpucurate.core.errors import CheckFailed
from gpucurate.device.choice import DEVICES


@click.command("doctor", short_help="Check this machine.")
@click.option("--json", "as_json", is_flag=True, help="The stable machine-readable form.")
@click.option(
    "--lock",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Compare installed versions with this lock file [default: the one GPUCURATE_LOCK names].",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path(),
    metavar="DIR",
    help="Where a run would write [default: the current directory].",
)
@click.option(
    "--device",
    type=click.Choice(DEVICES),
    default="auto",
    show_default=True,
    help="`cpu` leaves GPUs alone, `cuda` fails without one.",
)
def doctor_command(as_json: bool, lock: Path | None, out: Path, device: str) -> None:
    """Check this machine: devices, results of the kernels, versions, models, memory and disk.

    ✓ is well, – is not there and not needed by every run, ✗ failed. Exit code 1 if a check failed.

    \b
    Example:
      gpucurate doctor --out out --json | jq .environment
    """
    from gpucurate.report.doctor import examine

    examination = examine(out=out, lock=lock, device=device)
    if as_json:
        click.echo(json.dumps(examination.data(), indent=1, ensure_ascii=False))
    else:
        for line in examination.lines():
            click.echo(line)
    failed = examination.failed()
    if failed:
        raise CheckFailed(f"{len(failed)} checks failed: {', '.join(failed)}")
