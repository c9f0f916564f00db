"""Attackers: what they know, and how they reason."""
