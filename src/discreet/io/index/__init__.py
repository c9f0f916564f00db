"""The inverted file: for each item, the rows that hold it."""
