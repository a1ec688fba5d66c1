"""Main content of HTML pages without a DOM: a scanner makes blocks, a model scores them, rules pick and write them.

For a trainer and for looking inside:

    page = scan(utf8)             # ScannedPage: text, blocks, nodes and their marks, see `page`
    features(page)                # float32 [blocks, FEATURES], columns FEATURE_NAMES
    block_texts(page)             # list[str], in the order of the page
    Trees(Forest(...)).save(path) # what the trainer writes; Trees.load(MODEL_FILE) refuses other features
    trees.probabilities(matrix)   # float32 [blocks]

Everything is compiled, releases the interpreter lock and takes time linear in the page.
"""

from gpucurate.sources.html.blocks.feature_names import FEATURE_DIGEST, FEATURE_NAMES, FEATURES
from gpucurate.sources.html.blocks.page import ScannedPage
from gpucurate.sources.html.blocks.scan import block_texts, features, scan
from gpucurate.sources.html.blocks.trees import MODEL_FILE, Forest, MissingModel, Trees

__all__ = [
    "FEATURES",
    "FEATURE_DIGEST",
    "FEATURE_NAMES",
    "MODEL_FILE",
    "Forest",
    "MissingModel",
    "ScannedPage",
    "Trees",
    "block_texts",
    "features",
    "scan",
]
