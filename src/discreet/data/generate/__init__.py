"""Generate: synthetic rows, the same bytes for the same seed."""

from discreet.data.generate.clinic import clinic
from discreet.data.generate.quest import quest

__all__ = ["clinic", "quest"]
