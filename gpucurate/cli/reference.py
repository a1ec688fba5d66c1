"""Commands about the recipe language: JSON Schema for editors, and the reference page of the docs."""

from __future__ import annotations

import json

import click


@click.command("schema", short_help="Print the JSON Schema of recipes.")
def schema_command() -> None:
    """Print the JSON Schema of recipes, for editors.

    \b
    Example:
      gpucurate schema > recipe.schema.json
      # first line of a recipe:  # yaml-language-server: $schema=recipe.schema.json
    """
    from gpucurate.recipe.json_schema import recipe_schema
    from gpucurate.run.vocabulary import VOCABULARY

    click.echo(json.dumps(recipe_schema(VOCABULARY), indent=1))


@click.command("reference", short_help="Print every key of a recipe, in Markdown.")
def reference_command() -> None:
    """Print the recipe reference (Markdown), made from the models: every key, type, default and reason code.

    \b
    Example:
      gpucurate reference > docs/recipe.md
    """
    from gpucurate.report.reference import reference

    click.echo(reference(), nl=False)
