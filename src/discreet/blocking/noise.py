"""Noise: the supports of the commonest itemsets under differential privacy, by OpenDP, to set beside our releases.

No mechanism and no figure of privacy is ours. OpenDP chooses, adds the noise, and accounts for both (docs/decisions).
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

from discreet.errors import Option, OptionError
from discreet.runtime.text import abbreviate

TOP: Final = 100  # itemsets that are published, unless told
DELTA: Final = 1e-6  # of Gaussian noise, which has no loss without one
SMALLEST, LARGEST = 0.0001, 100.0  # privacy loss that may be asked for
PARTS: Final = ("combinators", "domains", "measurements", "measures", "metrics", "mod", "transformations")
"""What is used of OpenDP: all of it takes seconds to load."""
MISSING: Final = "OpenDP, which is not installed; install it with: pip install 'discreet[dp]'"


class PrivacyLoss(NamedTuple):
    """The privacy loss of a whole release for one row more or less, as OpenDP accounts for it."""

    epsilon: float
    delta: float


@dataclass(frozen=True, eq=False)
class Mechanism:
    """Noise of OpenDP for a privacy loss of at most ``epsilon``; ``spread`` is its standard deviation for a support.

    Half of the loss is for the choice of itemsets, half for their supports. Readers may know all of this.
    """

    name: str
    epsilon: float
    top: int
    loss: PrivacyLoss
    spread: float
    session: Any
    choice: Any
    add_noise: Callable[[Sequence[int]], Any]

    def release(self, supports: list[int]) -> tuple[list[int], list[int]]:
        """Return the places of the largest supports, and these supports, both with noise; other noise in each call.

        The supports are those of all candidates. OpenDP refuses whatever goes beyond the loss.
        """
        ask = self.session(supports)
        chosen = ask(self.choice)
        return chosen, ask(self.add_noise(chosen))


def plan_noise(epsilon: float | Iterable[float], top: int) -> tuple[Callable[[int], Mechanism], ...]:
    """Return what makes a mechanism of each kind for each privacy loss, given the number of candidates.

    Whatever is wrong is refused here, before any work: a loss that is no number, or OpenDP that is missing.

    >>> plan_noise([], 100)
    ()
    >>> plan_noise([0], 100)
    Traceback (most recent call last):
    discreet.errors.OptionError: epsilon= is 0; give numbers from 0.0001 to 100, such as 0.1, 1 and 4
    """
    epsilons = as_epsilons(epsilon)
    if isinstance(top, bool) or not isinstance(top, int) or top < 1:
        raise OptionError(Option("top"), f" is {abbreviate(top)}; give a whole number of at least 1")
    if not epsilons:
        return ()
    opendp = load_opendp()

    def plan(make: "Make", loss: float) -> Callable[[int], Mechanism]:
        return lambda candidates: make(opendp, min(top, candidates), loss)

    return tuple(plan(make, loss) for make in MECHANISMS.values() for loss in epsilons)


def as_epsilons(epsilon: float | Iterable[float]) -> list[float]:
    """Return privacy losses as numbers; refuse what is none.

    >>> as_epsilons(1), as_epsilons([0.1, 4])
    ([1.0], [0.1, 4.0])
    """
    given = [*epsilon] if isinstance(epsilon, Iterable) and not isinstance(epsilon, str) else [epsilon]
    for one in given:
        if isinstance(one, bool) or not isinstance(one, int | float) or not SMALLEST <= one <= LARGEST:
            raise OptionError(
                Option("epsilon"),
                f" is {abbreviate(one)}; give numbers from {SMALLEST} to {LARGEST:g}, such as ",
                "0.1, 1 and 4",
            )
    return [*dict.fromkeys(map(float, given))]


def load_opendp() -> Any:  # noqa: ANN401 - an optional library
    """Return the names of OpenDP; refuse if it is missing."""
    try:
        opendp = [import_module(f"opendp.{part}") for part in PARTS]
    except ImportError:
        raise OptionError(Option("epsilon"), f" needs {MISSING}") from None
    names = SimpleNamespace(**{name: value for part in opendp for name, value in vars(part).items()})
    names.enable_features("contrib", "honest-but-curious")
    return names


class _Supports:
    """What OpenDP is told about the supports of all candidates, the same for all mechanisms.

    Rows differ by one row more or less. It changes each support by at most 1, and all in one direction: their distance
    is 1 in the largest change, and at most ``top`` or its root for the changes of ``top`` supports together.
    """

    def __init__(self, opendp: Any, top: int) -> None:  # noqa: ANN401 - an optional library
        self.opendp, self.top = opendp, top
        self.domain = opendp.vector_domain(opendp.atom_domain(T="i64"))
        self.space = self.domain, opendp.linf_distance(T="i64", monotonic=True)

    def compose(self, measure: Any, losses: list[float]) -> Any:  # noqa: ANN401 - as above
        """Return a session in which two questions may be asked, the second one after the first is answered."""
        return self.opendp.make_adaptive_composition(*self.space, measure, d_in=1, d_mids=losses)

    def choose(self, measure: Any, loss: float) -> Any:  # noqa: ANN401 - as above
        """Return the choice of the largest supports, at this loss."""

        def make(scale: float) -> Any:  # noqa: ANN401 - as above
            return self.opendp.make_noisy_top_k(*self.space, measure, k=self.top, scale=scale)

        return self.opendp.binary_search_chain(make, d_in=1, d_out=loss)

    def pick(self, chosen: Sequence[int], metric: Any, factor: float) -> Any:  # noqa: ANN401 - as above
        """Return the supports of those chosen; these differ by ``factor`` times as much as the largest change."""
        places = [*chosen]
        return self.opendp.make_user_transformation(
            *self.space, self.domain, metric, lambda supports: [supports[at] for at in places], lambda far: far * factor
        )


def add_laplace(opendp: Any, top: int, epsilon: float) -> Mechanism:  # noqa: ANN401 - an optional library
    """Return exponential noise for the choice and Laplace noise for the supports: a loss of ε alone."""
    known, measure = _Supports(opendp, top), opendp.max_divergence()
    metric = opendp.l1_distance(T="i64")
    scale = opendp.binary_search_param(
        lambda scale: opendp.make_laplace(known.domain, metric, scale=scale), d_in=top, d_out=epsilon / 2
    )
    noise = opendp.make_laplace(known.domain, metric, scale=scale)
    choice = known.choose(measure, epsilon / 2)
    session = known.compose(measure, [choice.map(1), noise.map(top)])
    loss = PrivacyLoss(session.map(1), 0.0)
    return Mechanism(
        *("Laplace", epsilon, top, loss, math.sqrt(2) * scale, session, choice),
        lambda chosen: known.pick(chosen, metric, top) >> noise,
    )


def add_gaussian(opendp: Any, top: int, epsilon: float) -> Mechanism:  # noqa: ANN401 - an optional library
    """Return Gumbel noise for the choice and Gaussian noise for the supports: a loss of ε, and of δ."""
    known, measure = _Supports(opendp, top), opendp.zero_concentrated_divergence()
    metric, distance = opendp.l2_distance(T="f64"), math.nextafter(math.sqrt(top), math.inf)

    def compose(loss: float) -> Any:  # noqa: ANN401 - as above
        both = known.compose(measure, [loss / 2, loss / 2])
        return opendp.make_fix_delta(opendp.make_zCDP_to_approxDP(both), DELTA)

    concentrated = opendp.binary_search(lambda loss: compose(loss).map(1)[0] <= epsilon, (epsilon * 1e-9, epsilon))
    scale = opendp.binary_search_param(
        lambda scale: opendp.make_gaussian(known.domain, metric, scale=scale), d_in=distance, d_out=concentrated / 2
    )
    noise = opendp.make_gaussian(known.domain, metric, scale=scale)
    session = compose(concentrated)
    return Mechanism(
        *("Gaussian", epsilon, top, PrivacyLoss(*session.map(1)), scale, session),
        known.choose(measure, concentrated / 2),
        lambda chosen: known.pick(chosen, metric, distance) >> noise,
    )


Make = Callable[[Any, int, float], Mechanism]
MECHANISMS: Final[Mapping[str, Make]] = {"Laplace": add_laplace, "Gaussian": add_gaussian}
"""Kinds of noise by their names; a new one is a function and an entry here."""
