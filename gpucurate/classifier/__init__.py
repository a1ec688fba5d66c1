"""The life cycle of a quality classifier: sample a corpus, have it labelled, train, evaluate.  Scoring is a step."""
