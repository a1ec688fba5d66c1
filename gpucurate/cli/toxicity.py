"""The command that shows whom the step `toxicity` removes."""

from __future__ import annotations

import json

import click


@click.command("toxicity")
@click.argument("directory", metavar="DIR")
@click.option("--terms", "terms_file", metavar="FILE", help="Terms by group (YAML or JSON): {GROUP: [WORD, ...]}.")
@click.option("--step", metavar="LABEL", help="Which step, where the recipe has several [default: the last].")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, with all slices.")
def toxicity_command(directory: str, terms_file: str | None, step: str | None, as_json: bool) -> None:
    """Show which share of the documents `toxicity` removed, by source, language, host and length.

    With --terms also of the documents that mention a group's terms: a dialect, a community, a subject.  A share far
    above that of all documents says that thresholds or word lists fall on that group.

    \b
    Examples:
      gpucurate toxicity out
      gpucurate toxicity out --terms groups.yaml
    """
    from gpucurate.report.funnel import wide_console
    from gpucurate.report.toxicity import toll
    from gpucurate.report.toxicity_printing import print_toll
    from gpucurate.report.toxicity_terms import read_terms
    from gpucurate.run.state import open_finished

    terms = read_terms(terms_file) if terms_file else None
    data = toll(*open_finished(directory), step, terms).data()
    if as_json:
        click.echo(json.dumps(data, indent=1, ensure_ascii=False))
    else:
        print_toll(data, wide_console())
