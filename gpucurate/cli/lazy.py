"""A group of commands whose modules are imported only when they are called or listed."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """`places` says where each command is: name to `module:attribute`."""

    def __init__(self, *arguments: Any, places: Mapping[str, str] | None = None, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._places = places or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """See `click.Group`."""
        return list(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """See `click.Group`; raises UsageError with the nearest name for one that does not exist."""
        if cmd_name not in self._places:
            from gpucurate.recipe.mistakes import did_you_mean

            raise click.UsageError(f"no such command {cmd_name!r}{did_you_mean(cmd_name, self._places)}")
        module, name = self._places[cmd_name].split(":")
        command: click.Command = getattr(import_module(module), name)
        return command
