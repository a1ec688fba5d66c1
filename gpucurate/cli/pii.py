"""The command that shows what `pii` matches, draws a sample for review, and says what a review means."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.group("pii")
def pii() -> None:
    """Look at the personal data that a run has found.

    \b
    Example:
      gpucurate pii audit out
    """


@pii.command("audit")
@click.argument("directory", metavar="DIR")
@click.option("--step", metavar="LABEL", help="Which step, where the recipe has several.")
@click.option("--counts", is_flag=True, help="Numbers alone: reads no personal data, so that anyone may.")
@click.option("--patterns", default=10, show_default=True, type=click.IntRange(min=0), help="Shapes shown of a class.")
@click.option("--show", default=3, show_default=True, type=click.IntRange(min=0), help="Findings shown of a class.")
@click.option("--sample", type=click.IntRange(min=1), help="Draw so many findings for review, into the file of --to.")
@click.option("--to", "target", type=click.Path(path_type=Path), help="Review file to write: .csv or .jsonl.")
@click.option("--seed", default=0, show_default=True, help="Another seed draws other findings.")
@click.option("--reviewed", type=click.Path(path_type=Path), help="Review file with verdicts: estimate precision.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def audit_command(
    directory: str,
    step: str | None,
    counts: bool,
    patterns: int,
    show: int,
    sample: int | None,
    target: Path | None,
    seed: int,
    reviewed: Path | None,
    as_json: bool,
) -> None:
    """Show what `pii` matches in a finished run: classes, detectors, shapes, samples; nothing is changed.

    With the policy `keep` for every class a run rewrites nothing, and this says what it would have. Matches and their
    surroundings are personal data: only the owner of the run may read them. --counts needs none of them.

    \b
    Examples:
      gpucurate pii audit out
      gpucurate pii audit out --sample 200 --to review.csv
      gpucurate pii audit out --reviewed review.csv      # after filling in the column `verdict`: right, wrong, unsure
      gpucurate pii audit out --counts --json | jq '.classes[] | {class, per_million_words}'
    """
    from gpucurate.report.funnel import wide_console
    from gpucurate.report.pii import audit
    from gpucurate.report.pii.precision import estimate
    from gpucurate.report.pii.printing import print_audit, print_precision
    from gpucurate.report.pii.review import draw, read_review, write_review
    from gpucurate.run.state import open_finished

    if (sample is None) != (target is None):
        raise click.UsageError("--sample N and --to FILE go together")
    if sample and counts:
        raise click.UsageError("--sample needs the text of findings, which --counts leaves alone")
    text = not counts and not (reviewed and not sample)  # a review needs no text: it is of ids
    review = read_review(reviewed) if reviewed else {}
    found = audit(*open_finished(directory), step, text=text, keep=max(show, sample or 0), seed=seed, locate=review)
    data = found.data(patterns, show)
    rows = estimate(found, review) if review else []
    if target is not None and sample is not None:
        drawn = draw(found, sample)
        write_review(target, drawn)
        click.echo(f"{target}: {len(drawn)} findings, for its owner alone; fill in `verdict`", err=True)
    if as_json:
        click.echo(json.dumps({**data, "precision": [row.data() for row in rows]}, indent=1, ensure_ascii=False))
        return
    console = wide_console()
    if review:
        print_precision(rows, console)
    else:
        print_audit(data, console)
