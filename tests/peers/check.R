# Reads a PMML file of itemsets with arules, and writes them as it does: run by test_peers.py.
suppressMessages(library(arules))
arguments <- commandArgs(trailingOnly = TRUE)
sets <- read.PMML(arguments[1])
write(sets, arguments[2], sep = "\t", row.names = FALSE)
cat(info(sets)$ntransactions)
