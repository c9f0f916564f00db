"""Policies, checks, audits and verdicts."""
