"""Mining: frequent, closed and maximal itemsets."""
