"""A series of releases: what a release gives away together with older ones."""
