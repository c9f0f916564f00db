"""Association rules and rounded supports: counts that are known only within limits."""
