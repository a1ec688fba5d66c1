"""From scored blocks to text: which are kept, and how they are laid out.

Apart from the scanner since it has choices: everything here depends on `Options`.
"""
