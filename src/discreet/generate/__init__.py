"""Generate: synthetic rows, the same bytes for the same seed."""

from discreet.generate.clinic import clinic
from discreet.generate.quest import quest

__all__ = ["clinic", "quest"]
