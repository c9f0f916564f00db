"""The local web app: pages on this machine alone, and their twins in JSON; needs the extra ``web``."""
