"""What a user writes: a recipe of sources, steps, tokens and shards, read from YAML and checked before anything runs.

The room knows the form of a recipe, not its vocabulary: the words (which sources and steps exist, with their
configuration models) are handed in from above, so that a new step needs no change here.
"""
