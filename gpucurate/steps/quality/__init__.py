"""`quality`: scores of classifiers for every document, and a cut through them."""
