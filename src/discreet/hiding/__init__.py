"""Hiding: change the rows so that sensitive itemsets are no longer frequent."""
