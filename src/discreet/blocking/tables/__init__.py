"""Blocking tables of counts: masking further ones, collapsing categories, or rounding, until nothing small follows."""
