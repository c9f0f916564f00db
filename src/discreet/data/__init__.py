"""The values: transactions, merged rows, patterns, labels, thresholds, queries, the lattice of itemsets."""
