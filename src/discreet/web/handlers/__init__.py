"""Handlers: functions that a worker runs for a request; each takes a context and plain arguments, and returns JSON."""
