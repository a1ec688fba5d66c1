"""Bytes to documents: every source lists its files, cuts them into units, and reads a unit into chunks of documents.

A record that cannot be read becomes a quarantine row with a reason; it never vanishes and never stops the run.
Sources know nothing of steps, tokens or Dask, and units depend on the snapshot only, never on the number of workers.
"""
