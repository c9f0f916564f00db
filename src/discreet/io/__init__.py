"""The one door for files, frames and databases."""
