"""Hugging Face data sets, by name from the hub or from a local directory; each data file is read as a stream of rows.

A name is pinned to the commit it meant when the run listed its files.  Nothing is downloaded as a whole, and no code
that comes with a data set is run.
"""

from gpucurate.sources.hub.source import Hub, HubConfig

__all__ = ["Hub", "HubConfig"]
