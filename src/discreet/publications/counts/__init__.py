"""Tables of counts: what their cells say together, and what a reader can work out."""
