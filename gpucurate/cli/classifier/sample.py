"""`gpucurate classifier sample`: documents for judges to rate."""

from __future__ import annotations

import click


def numbers(_: click.Context, __: click.Parameter, value: str) -> tuple[float, ...]:
    """`1,2.5` as numbers."""
    try:
        return tuple(float(word) for word in value.split(",") if word.strip())
    except ValueError as error:
        raise click.BadParameter(f"{value!r} is no list of numbers such as 1,2,3,4") from error


@click.command("sample", short_help="Draw documents for judges to rate.")
@click.argument("directory", metavar="DIR")
@click.option("--size", default=5000, show_default=True, type=click.IntRange(min=1), help="Documents to draw.")
@click.option(
    "--by",
    default="source,length",
    show_default=True,
    metavar="NAMES",
    help="Strata by source, language, length, domain, score; empty draws from the whole.",
)
@click.option(
    "--allocation",
    type=click.Choice(("proportional", "root", "equal")),
    default="root",
    show_default=True,
    help="Share of a stratum: by its size, the size's square root, or all the same.",
)
@click.option("--seed", default=0, show_default=True, help="Another seed draws other documents.")
@click.option(
    "--domains", default=20, show_default=True, type=click.IntRange(min=1), help="Largest hosts with own strata."
)
@click.option("--score", metavar="COLUMN", help="The signal that strata by score are made from.")
@click.option(
    "--cuts", default="1,2,3,4", show_default=True, callback=numbers, help="Least score of each class but the first."
)
@click.option("--out", metavar="FILE", help="Write here [default: standard output].")
def sample_command(
    directory: str,
    size: int,
    by: str,
    allocation: str,
    seed: int,
    domains: int,
    score: str | None,
    cuts: tuple[float, ...],
    out: str | None,
) -> None:
    """Draw a stratified sample of the documents that the run in DIR kept, with weights.

    \b
    Examples:
      gpucurate classifier sample out --size 5000 --by source,length > sample.jsonl
      gpucurate classifier sample out --by language,domain --domains 50 --out sample.jsonl
      gpucurate classifier sample out --by score --score quality --cuts 1,2,3 --allocation equal --out sample.jsonl
    """
    import sys
    from dataclasses import asdict
    from pathlib import Path

    from gpucurate.classifier.json_lines import as_line
    from gpucurate.classifier.sample import draw_sample
    from gpucurate.classifier.sample_strata import Strata
    from gpucurate.run.progress import choose_progress
    from gpucurate.run.state import open_finished
    from gpucurate.store.atomic import write_bytes

    strata = Strata(tuple(name.strip() for name in by.split(",") if name.strip()), domains, score, cuts)
    context, state = open_finished(directory)
    draw = draw_sample(context, state, size, strata, allocation, seed, choose_progress())
    lines = b"".join(as_line(asdict(document)) for document in draw.documents)
    if out is not None:
        write_bytes(Path(out), lines)
    else:
        sys.stdout.buffer.write(lines)
        sys.stdout.buffer.flush()
    for name, documents in draw.there.items():
        click.echo(f"{name}: {draw.drawn[name]:,} of {documents:,}", err=True)
    click.echo(f"drawn: {len(draw.documents):,} of {sum(draw.there.values()):,} documents", err=True)
