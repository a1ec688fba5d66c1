"""Which regions a national number could belong to, by one regular expression each, before libphonenumber is asked.

The expressions are those of libphonenumber's own metadata, joined; asking the library costs fifty times as much.
"""

from __future__ import annotations

import re
from typing import Any

KINDS = (
    "fixed_line", "mobile", "toll_free", "premium_rate", "shared_cost", "voip", "personal_number", "pager", "uan",
    "voicemail",
)  # fmt: skip


def gate(library: Any, region: str) -> re.Pattern[str]:
    """Pattern of the digits of every valid number of the region, with or without prefix and country code; of any
    digits where the region rewrites what is dialled (Brazil's carrier codes)."""
    metadata = library.PhoneMetadata.metadata_for_region(region, None)
    if metadata.national_prefix_transform_rule:
        return re.compile(r"\d+")
    numbers = [getattr(metadata, kind) for kind in KINDS]
    patterns = "|".join(each.national_number_pattern for each in numbers if each and each.national_number_pattern)
    abroad = f"(?:(?:{metadata.international_prefix})?{metadata.country_code})?"
    trunk = f"(?:{metadata.national_prefix_for_parsing})?" if metadata.national_prefix_for_parsing else ""
    return re.compile(f"{abroad}{trunk}(?:{patterns})")
