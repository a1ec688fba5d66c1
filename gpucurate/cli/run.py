"""`gpucurate run` and `gpucurate plan`."""

from __future__ import annotations

import click

from gpucurate.device.choice import DEVICES

overrides_option = click.option(
    "--set",
    "overrides",
    multiple=True,
    metavar="KEY.PATH=VALUE",
    help="Change one place of the recipe; repeatable.",
)
out_option = click.option("--out", required=True, metavar="DIR", help="Output directory; a run in it is resumed.")
device_option = click.option(
    "--device",
    type=click.Choice(DEVICES),
    default="auto",
    show_default=True,
    help="Where near-duplicates are compared; `auto` takes a GPU if one can be used.",
)


@click.command("run")
@click.argument("recipe", metavar="RECIPE")
@out_option
@overrides_option
@click.option("--workers", type=click.IntRange(min=1), help="Local worker processes [default: one a core].")
@click.option("--inline", is_flag=True, help="One task after another in this process, for debugging.")
@device_option
@click.option("--scheduler", metavar="ADDRESS", help="Use this Dask scheduler instead of a local cluster.")
def run_command(
    recipe: str,
    out: str,
    overrides: tuple[str, ...],
    workers: int | None,
    inline: bool,
    device: str,
    scheduler: str | None,
) -> None:
    """Run RECIPE into a directory, or resume it there.

    \b
    Examples:
      gpucurate run configs/quickstart.yaml --out out
      gpucurate run my.yaml --out out --workers 4 --set steps.1.language.threshold=0.8
      gpucurate run my.yaml --out out --scheduler tcp://10.0.0.1:8786
    """
    from gpucurate.recipe.load import load_recipe
    from gpucurate.report.funnel import funnel_data, print_funnel, wide_console
    from gpucurate.run.driver import Cluster, run
    from gpucurate.run.live import RunContext
    from gpucurate.run.progress import choose_progress
    from gpucurate.run.ratings import rating_steps
    from gpucurate.run.vocabulary import VOCABULARY
    from gpucurate.store.directory import open_directory

    if inline and (workers or scheduler):
        raise click.UsageError("--inline goes with neither --workers nor --scheduler")
    if workers and scheduler:
        raise click.UsageError("--workers is for the local cluster; a --scheduler has its own workers")
    parsed = load_recipe(recipe, VOCABULARY, overrides)
    run(parsed, out, Cluster(inline, workers, scheduler), device, choose_progress())
    directory, _ = open_directory(out)
    print_funnel(funnel_data(directory), wide_console())
    if rating_steps(RunContext.of(directory, parsed, "cpu")):
        click.echo(f"what other cuts through the scores would keep: gpucurate retention {out}")


@click.command("plan", short_help="Show what `run` would do.")
@click.argument("recipe", metavar="RECIPE")
@out_option
@overrides_option
@device_option
def plan_command(recipe: str, out: str, overrides: tuple[str, ...], device: str) -> None:
    """Show what `run` would do: sources, units, steps (numbered as `--set` does), and what is already there.

    A step counts as measured whatever its settings were then; what a changed recipe makes anew shows when it runs.

    \b
    Example:
      gpucurate plan configs/simplewiki.yaml --out out/wiki
    """
    from gpucurate.recipe.load import load_recipe
    from gpucurate.run.plan import describe
    from gpucurate.run.vocabulary import VOCABULARY

    for line in describe(load_recipe(recipe, VOCABULARY, overrides), out, device):
        click.echo(line)
