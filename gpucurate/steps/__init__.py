"""The recipe's vocabulary, one file or small package a word: each says what it measures, how it judges, and why.

A step makes statements about documents (signals, verdicts, edits); it never changes or deletes one, keeps no books,
and knows nothing of parts, files or workers.
"""
