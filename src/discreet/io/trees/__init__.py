"""Trees as files: scikit-learn text, DOT and PMML."""
