"""A recipe becomes tasks: plan what is missing, do it on Dask or inline, keep the books, survive a kill."""
