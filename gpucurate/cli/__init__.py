"""Thin commands over the rooms below; nothing is decided here but words and exit codes."""
