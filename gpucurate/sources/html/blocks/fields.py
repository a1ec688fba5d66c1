"""Where a page says its title, language, author, dates, licence and canonical URL: places in the source, first wins.

The scanner only marks the places; `metadata` reads them.
"""

from __future__ import annotations

import numpy as np

from gpucurate.core.compiled import borrowing
from gpucurate.core.text_buffers import Bytes
from gpucurate.sources.html.blocks import attributes as attr
from gpucurate.sources.html.blocks import page
from gpucurate.sources.html.blocks.attributes import starts_with, value_of
from gpucurate.sources.html.blocks.characters import (
    ALNUM,
    FNV_BASIS,
    FNV_PRIME,
    FOLDED,
    Table,
    find,
    hash_folded,
    name_table,
)

# <meta name="..."> or <meta property="..."> by field; 0 is no field, hence one more.
META_KEYS, META_FIELDS = name_table(
    {
        name: field + 1
        for field, names in {
            page.FIELD_OG_TITLE: "og:title dc.title dcterms.title citation_title twitter:title",
            page.FIELD_AUTHOR: "author article:author dc.creator dcterms.creator citation_author parsely-author byl",
            page.FIELD_PUBLISHED: "article:published_time dc.date dcterms.date dcterms.created citation_date date "
            "pubdate citation_publication_date dc.date.issued dcterms.issued publish-date parsely-pub-date",
            page.FIELD_MODIFIED: "article:modified_time og:updated_time dcterms.modified last-modified revised "
            "dc.date.modified",
            page.FIELD_CONTENT_LANGUAGE: "content-language dc.language dcterms.language language",
            page.FIELD_LOCALE: "og:locale",
            page.FIELD_RIGHTS: "dc.rights dcterms.rights dcterms.license dc.rights.license license copyright-license",
        }.items()
        for name in names.split()
    }
)
CREATIVE_COMMONS = np.frombuffer(b"creativecommons.org/", np.uint8)
REL_KEYS, REL_FIELDS = name_table({"canonical": page.FIELD_CANONICAL + 1, "license": page.FIELD_LICENSE + 1})


@borrowing
def note_meta(src: Bytes, attributes: Table, count: int, fields: Table) -> None:
    """A <meta> tag."""
    start, stop = value_of(attributes, count, attr.PROPERTY)
    if start >= 0:
        field = find(META_KEYS, META_FIELDS, hash_folded(src, start, stop))
        if field:
            start, stop = value_of(attributes, count, attr.CONTENT)
            note(fields, field - 1, start, stop)


@borrowing
def note_relation(src: Bytes, attributes: Table, count: int, fields: Table) -> None:
    """A <link> or <a>: canonical URL, licence, or any link to a Creative Commons deed."""
    start, stop = value_of(attributes, count, attr.HREF)
    if start >= 0:
        if _is_creative_commons(src, start, stop):
            note(fields, page.FIELD_CREATIVE_COMMONS, start, stop)
        rel_start, rel_stop = value_of(attributes, count, attr.REL)
        if rel_start >= 0:
            hashed = FNV_BASIS
            for k in range(rel_start, rel_stop + 1):
                if k < rel_stop and (ALNUM[src[k]] or src[k] > 32):
                    hashed = (hashed ^ np.uint64(FOLDED[src[k]])) * FNV_PRIME
                else:
                    field = find(REL_KEYS, REL_FIELDS, hashed)
                    if field:
                        note(fields, field - 1, start, stop)
                    hashed = FNV_BASIS


@borrowing
def _is_creative_commons(src: Bytes, start: int, stop: int) -> bool:
    """http://creativecommons.org/..., with or without scheme and www."""
    k = start
    while k + 1 < min(stop, start + 10) and not (src[k] == 47 and src[k + 1] == 47):
        k += 1
    k += 2
    return starts_with(src, k, stop, CREATIVE_COMMONS) or starts_with(src, k + 4, stop, CREATIVE_COMMONS)


@borrowing
def note(fields: Table, field: int, start: int, stop: int) -> None:
    """The field stands in src[start:stop], unless it stood elsewhere before."""
    if fields[field, 0] < 0 <= start < stop:
        fields[field, 0] = start
        fields[field, 1] = stop
