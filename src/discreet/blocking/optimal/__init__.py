"""The method "optimal": the least distortion, by integer programs or exhaustive search."""
