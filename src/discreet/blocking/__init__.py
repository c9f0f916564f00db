"""Blocking: change the published supports so that no channel remains."""
