"""Which fields of a record are its text, address, title and so on, and what their values mean.

Shared by the sources whose records have named fields: JSON objects, rows of a table.  A field that is missing or odd
costs its value, never the document; only the text decides whether there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Final

from pydantic import Field

from gpucurate.core.documents import DocumentRow
from gpucurate.core.errors import RecipeError
from gpucurate.recipe.mistakes import did_you_mean
from gpucurate.recipe.model import SourceConfig

MILLISECONDS_FROM = 1e11  # as seconds that is the year 5138: larger epoch numbers count milliseconds
PLACE = "A dotted path reaches into nested records. "


class FieldsConfig(SourceConfig):
    """Names of the fields that a record's parts are taken from."""

    text_field: str = Field("text", description=f"Field that holds the text. {PLACE}A record without it is put aside.")
    id_field: str | None = Field("id", description="Field with the record's own identifier: kept as its revision.")
    url_field: str | None = Field("url", description="Field with the address the text came from: kept as its URI.")
    title_field: str | None = Field("title", description="Field with the title.")
    time_field: str | None = Field(
        "timestamp", description="Field with the time of the last change: ISO 8601, or seconds since 1970."
    )
    license_field: str | None = Field("license", description="Field with the licence; it outranks `license`.")

    def field_names(self) -> list[str]:
        """Names of the fields that are looked at, the text first."""
        details = (self.id_field, self.url_field, self.title_field, self.time_field, self.license_field)
        return [self.text_field, *(name for name in details if name is not None)]


class _Absent:
    """Type of ABSENT."""


ABSENT: Final = _Absent()


def look_up(record: Mapping[str, object], path: str) -> object:
    """Value at a dotted path, or ABSENT; a field whose name has dots itself comes first."""
    if path in record:
        return record[path]
    if "." not in path:
        return ABSENT
    value: object = record
    for key in path.split("."):
        if not isinstance(value, Mapping) or key not in value:
            return ABSENT
        value = value[key]
    return value


def describe_row(row: DocumentRow, record: Mapping[str, object], config: FieldsConfig) -> None:
    """Fill in what the fields other than the text say.  Their strings must be valid Unicode."""
    own_license = _word(record, config.license_field)
    row.uri = _word(record, config.url_field) or row.uri
    row.revision = _word(record, config.id_field)
    row.title = _word(record, config.title_field)
    row.modified = None if config.time_field is None else _moment(look_up(record, config.time_field))
    row.retrieved = config.retrieved
    row.license = own_license or config.license
    row.license_evidence = "record" if own_license else "recipe" if config.license else None


def missing_text(config: FieldsConfig, file: str, columns: Iterable[str]) -> RecipeError:
    """The error for a file none of whose records has the text field."""
    there = sorted(columns)
    return RecipeError(
        f"text_field: {file} has no field {config.text_field!r}{did_you_mean(config.text_field, there)}. "
        f"Remedy: set text_field to one of {', '.join(there)}, or leave the file out"
    )


def _word(record: Mapping[str, object], field: str | None) -> str | None:
    value = look_up(record, field) if field is not None else None
    if isinstance(value, str):
        return value or None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _moment(value: object) -> datetime | None:
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
        elif isinstance(value, datetime):
            moment = value
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            moment = datetime.fromtimestamp(value / 1000 if abs(value) >= MILLISECONDS_FROM else value, UTC)
        else:
            return None
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
