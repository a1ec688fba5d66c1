"""The command `gpucurate` and the one place where errors become messages and exit codes."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator

import click

from gpucurate import __version__
from gpucurate.cli.lazy import LazyGroup
from gpucurate.core.errors import GpucurateError, StorageError

COMMANDS = {
    "run": "gpucurate.cli.run:run_command",
    "plan": "gpucurate.cli.run:plan_command",
    "funnel": "gpucurate.cli.inspect:funnel_command",
    "samples": "gpucurate.cli.inspect:samples_command",
    "languages": "gpucurate.cli.inspect:languages_command",
    "retention": "gpucurate.cli.retention:retention_command",
    "pii": "gpucurate.cli.pii:pii",
    "toxicity": "gpucurate.cli.toxicity:toxicity_command",
    "duplicates": "gpucurate.cli.near_duplicates:duplicates_command",
    "decontamination": "gpucurate.cli.decontaminate:decontamination_command",
    "registry": "gpucurate.cli.decontaminate:registry",
    "verify": "gpucurate.cli.inspect:verify_command",
    "index": "gpucurate.cli.near_duplicates:index_command",
    "curve": "gpucurate.cli.near_duplicates:curve_command",
    "schema": "gpucurate.cli.reference:schema_command",
    "reference": "gpucurate.cli.reference:reference_command",
    "doctor": "gpucurate.cli.doctor:doctor_command",
    "classifier": "gpucurate.cli.classifier:classifier",
    "fetch": "gpucurate.cli.fetch:fetch",
}
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SIGNALLED = 128  # what shells add to the number of the signal that stopped a command


@click.command(cls=LazyGroup, places=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="gpucurate")
def root() -> None:
    """Turn raw crawls and Wikipedia dumps into verified token shards, with an account of everything removed.

    \b
    Examples:
      gpucurate run configs/simplewiki.yaml --out out/wiki --set sources.0.wikipedia.path=dump.xml.bz2
      gpucurate funnel out/wiki
      gpucurate samples out/wiki --reason gopher.short
      gpucurate verify out/wiki

    Exit codes: 0 all well, 1 a check failed, 2 recipe or arguments are wrong, 3 the machine failed (input, storage,
    cluster, device).
    """


def main() -> None:
    """Entry point: errors raised on purpose end in one message and their exit code."""
    with _stopped_by_signals() as received:
        try:
            _call()
        except (click.Abort, KeyboardInterrupt):
            print("stopped; finished work is kept, the same command resumes it", file=sys.stderr)
            sys.exit(SIGNALLED + (received or [signal.SIGINT])[0])


def _call() -> None:
    try:
        root.main(standalone_mode=False)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except click.ClickException as mistake:
        mistake.show()
        sys.exit(mistake.exit_code)
    except GpucurateError as error:
        print(f"gpucurate: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except OSError as error:  # the machine refused where no room expected it, such as a directory without permissions
        print(f"gpucurate: {error}. Remedy: mend that and run the same command again", file=sys.stderr)
        sys.exit(StorageError.exit_code)


@contextlib.contextmanager
def _stopped_by_signals() -> Iterator[list[int]]:
    """Let the first signal that asks to stop end the command as ctrl-C does, and a second one at once."""
    received: list[int] = []

    def stop(number: int, _: object) -> None:
        received.append(number)
        for each in STOPPING:
            signal.signal(each, signal.SIG_DFL)
        raise KeyboardInterrupt

    before = {each: signal.signal(each, stop) for each in STOPPING}
    try:
        yield received
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
