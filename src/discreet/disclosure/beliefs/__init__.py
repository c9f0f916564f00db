"""Beliefs: how probable small groups are to a reader, under a stated prior."""
