"""The figures of the papers, made anew: ``python -m reproduction``."""
