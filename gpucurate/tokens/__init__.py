"""Tokens, shards and the reader: encode once, shuffle by keyed hash, pack, verify, and read again by memory map."""
