"""Releases: the value, its folder, and the verifier."""
