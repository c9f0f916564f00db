"""The layouts of published tables of counts, one file each."""
