"""Downloading dumps and crawls as a work queue on disk: resumable, polite, verified.

A directory of fetched files is laid out as its origin is, so that it can itself serve as a mirror.  What has been
fetched stands in `fetch.jsonl`; what has not is found again from the published lists, so a killed fetch just runs
again.  Nothing here knows what is inside a file.
"""
