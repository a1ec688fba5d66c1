"""The choices of a user, as numbers for compiled code."""

from __future__ import annotations

from typing import NamedTuple

TEXT, MARKDOWN = 0, 1


class Options(NamedTuple):
    """`layout` is TEXT or MARKDOWN; the others are switches.

    comments    what readers wrote below an article.  Off: most of it is short and unedited, and crawls filter by page.
    captions    text of pictures.  Off: it stands between two paragraphs of an article and speaks of what is not there.
    standfirst  the lines between headline and article that sum it up.  On: they are prose of the article itself.
    title       a headline that leads the text.  Off: it is a column of its own.
    """

    layout: int = TEXT
    comments: bool = False
    captions: bool = False
    standfirst: bool = True
    title: bool = False
