"""Publications other than itemsets: rules, trees, series of releases."""
