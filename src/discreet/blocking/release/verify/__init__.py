"""The verifier: a release checked from its files alone, by code shared with nothing that made it."""
