"""The methods "suppress", "add" and "withhold".

Each comes in two forms: against an attacker who adds and subtracts supports; and, as ``…_more``, against one who infers
more than channels, where it goes on until they find nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from heapq import heapify, heappop, heappush
from itertools import compress, count
from time import monotonic
from typing import Final

import numpy as np
from numpy.typing import NDArray

from discreet import kernels
from discreet.blocking.beside import ASK, keep_apart
from discreet.blocking.distortion import class_sizes, plant
from discreet.blocking.inferences import Inference, find_inferences, find_past, infer, match_rows
from discreet.blocking.parents import follow, keep_with_parents, leave_out
from discreet.blocking.problem import NONE, BlockProblem, BlockSolution, Form, count_rows
from discreet.blocking.safe_core import find_safe_core
from discreet.data.itemsets import Itemsets, Weighted
from discreet.data.lattice import Trie, build_family
from discreet.data.patterns import Patterns
from discreet.data.transactions import Merged
from discreet.disclosure.attacks.facts import Codes
from discreet.disclosure.channels import Channels, as_bits, places
from discreet.disclosure.detect import Question
from discreet.errors import BudgetError, GuaranteeError, InputError, Option

LENGTH_BITS: Final = 20  # for the length of an itemset: no row holds more than 100,000 items
LONGEST: Final = 64  # items of a top whose bases fit a word of bitmaps
MOST_STEPS: Final = 10**8  # pairs of a closed itemset and a top that are compared, at most: some seconds
MOST_PAIRS: Final = 2 * 10**7  # pairs of an itemset and a channel that it covers, at most
ROUNDS: Final = 16  # rounds in which rows are added against other inferences; later ones suppress rows instead


def suppress(problem: BlockProblem) -> BlockSolution:
    """Suppress the rows that a channel singles out, round by round.

    This is Algorithm 1 of *Blocking anonymity threats* (ICDM 2005), corrected: a suppressed row stays suppressed. As
    printed, it counts again later, which ends in supports that no rows have, or never. No round mines again: an itemset
    that is closed without some rows was closed with them. If some part of the rows is safe and keeps every itemset
    frequent, the result is the largest such part (docs/guarantee.md).
    """
    merged, numbers = problem.merged
    rows, is_left = problem.as_rows(merged), np.ones(len(merged), dtype=np.bool_)
    solution = BlockSolution.of(problem, problem.patterns, rounds=0)
    channels = problem.find_threats(problem.question, problem.channels)
    trie, rounds = _find_trie(problem.question), 0
    while len(channels):
        hit = channels.rows(rows).numbers
        hit = hit[is_left[hit]]
        if not hit.size:
            raise GuaranteeError("no row is left that a channel singles out; nothing is released: please report this")
        is_left[hit] = False
        left, rounds = remove_rows(solution.patterns, merged.take(hit), trie), rounds + 1
        solution = BlockSolution.of(problem, left, np.flatnonzero(~is_left[numbers]), rounds=rounds)
        channels, trie = solution.find_threats(), _find_trie(solution.question)
    return solution


def _find_trie(question: Question) -> Trie | None:
    """Return the trie of the closed itemsets; None if all frequent ones are listed, of which the family has a part."""
    return question.family.trie if question.patterns.kind == "closed" else None


def remove_rows(patterns: Patterns, rows: Weighted, trie: Trie | None = None) -> Patterns:
    """Return the itemsets that are left without some of the rows, closed if these were; ``trie`` is the patterns' own.

    >>> from discreet import mine
    >>> patterns = mine([["a", "b"], ["a", "b"], ["a"]], min_support=2)
    >>> row = Weighted(np.array([0, 1]), np.array([0], np.int32), np.array([1]))
    >>> [(sorted(itemset), support) for itemset, support in remove_rows(patterns, row)]
    [(['a', 'b'], 2)]
    """
    lost = count_rows(patterns, rows, trie)
    supports = patterns.supports - lost
    frequent = np.flatnonzero(supports >= patterns.min_support)
    itemsets = patterns.itemsets.take(frequent)
    n = patterns.n - int(rows.weights.sum())
    if patterns.kind == "frequent":
        return replace(patterns, itemsets=itemsets, supports=supports[frequent], n=n)
    order = np.argsort((supports[frequent] << LENGTH_BITS) + itemsets.lengths)
    closed = kernels.closure.find_closed(*itemsets.flat, supports[frequent], lost[frequent] == 0, order)
    return replace(patterns, itemsets=itemsets.take(closed), supports=supports[frequent[closed]], n=n)


def add(problem: BlockProblem) -> BlockSolution:
    """Add ``k`` copies of each different base of a maximal channel.

    One pass is enough: the added rows are closed frequent itemsets, so the same itemsets stay frequent and closed, and
    each cell stays as it is or grows by k or more (Theorem A1 of docs/guarantee.md).
    """
    return _add_copies(problem, find_bases(problem))


def add_merged(problem: BlockProblem) -> BlockSolution:
    """Add ``k`` copies of the bases, or of itemsets that each serve several channels, if that distorts less."""
    problem.require_whole("merging")
    choices = [find_bases(problem)]
    if len(choices[0]):
        choices.append(_cover_channels(problem))
    return _add_copies(problem, min(choices, key=lambda itemsets: find_distortions(problem, itemsets).sum()))


def _add_copies(problem: BlockProblem, itemsets: Itemsets) -> BlockSolution:
    patterns, added = problem.patterns, itemsets.weigh(np.full(len(itemsets), problem.k, dtype=np.int64))
    supports = patterns.supports + count_rows(patterns, added, _find_trie(problem.question))
    n = patterns.n + int(added.weights.sum())
    return BlockSolution.of(problem, replace(patterns, supports=supports, n=n, mined=None), added=added)


def find_bases(problem: BlockProblem) -> Itemsets:
    """Return the different bases of maximal channels."""
    cells = problem.cells
    code = np.arange(len(problem.patterns.labels), dtype=np.int32)
    return Itemsets(*kernels.merge_rows.merge(*cells.bases.flat, np.ones_like(cells.counts), code)[:2])


def _cover_channels(problem: BlockProblem) -> Itemsets:
    """Return closed itemsets that cover every channel: an itemset covers one if it meets the top in the base.

    k more rows like such an itemset block all channels that it covers (Theorem A2 of docs/guarantee.md). Finding the
    fewest is set cover, so the choice is greedy: the itemset with the least distortion for each channel it adds.
    """
    pairs, channel_count = _find_pairs(problem), len(problem.channels)
    numbers, starts = np.unique(pairs[:, 0], return_index=True)
    covered = np.split(pairs[:, 1], starts[1:])
    costs = find_distortions(problem, problem.patterns.itemsets.take(numbers))
    chosen = _choose_greedily(costs, covered, channel_count)
    needed = _drop_spare(sorted(chosen, key=lambda at: (-costs[at], at)), covered, channel_count)
    return problem.patterns.itemsets.take(numbers[sorted(needed)])


def find_distortions(problem: BlockProblem, itemsets: Itemsets) -> NDArray[np.float64]:
    """Return the distortion that one more row like each itemset adds: the sum of 1 / support over its subsets."""
    patterns = problem.patterns
    return sum_within(problem, itemsets, np.array(class_sizes(patterns), dtype=np.float64) / patterns.supports)


def sum_within(problem: BlockProblem, itemsets: Itemsets, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each itemset the sum of the values of the original patterns within it."""
    patterns, sums, trie = problem.patterns, np.zeros(len(itemsets)), _find_trie(problem.question)
    planted = plant(patterns) if trie is None else trie
    kernels.closure.sum_up(planted, patterns.is_rooted, itemsets.flat, values, len(patterns.labels), sums)
    return sums


def _find_pairs(problem: BlockProblem) -> NDArray[np.int64]:
    """Return pairs of a closed itemset and a channel that it covers, by their numbers, in order."""
    channels, patterns, labels = problem.channels, problem.patterns, len(problem.patterns.labels)
    tops, cells = channels.tops.flat, channels.cells
    longest = channels.tops.lengths[cells.tops].max(initial=0)
    steps = len(patterns) * np.unique(cells.tops).size
    if longest > LONGEST or steps > MOST_STEPS:
        wanted = f"compare {len(patterns):,} itemsets with maximal ones of up to {longest} items, {steps:,} times"
        limits = f"{LONGEST} items and {MOST_STEPS:,} times are its limits"
        raise BudgetError(f"merging would {wanted}; {limits}: leave ", Option("merge"), " out")
    bases = cells.tops, kernels.blocking.map_bases(*tops, cells.tops, *cells.bases.flat, labels)
    pairs: NDArray[np.int64] = kernels.blocking.cover(patterns.itemsets.flat, bases, tops, labels, MOST_PAIRS)
    if len(pairs) > MOST_PAIRS:
        raise BudgetError(f"itemsets cover channels in more than {MOST_PAIRS:,} ways; leave ", Option("merge"), " out")
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def _choose_greedily(costs: NDArray[np.float64], covered: list[NDArray[np.int64]], channel_count: int) -> list[int]:
    """Return itemsets that cover all channels: each time the one of the least cost for a channel not yet covered.

    The number of channels that an itemset adds never grows, so only the head of the queue is looked at again.
    """
    is_covered, chosen = np.zeros(channel_count, dtype=np.bool_), []
    queue = [(float(costs[at]) / channels.size, at) for at, channels in enumerate(covered)]
    heapify(queue)
    while queue and not is_covered.all():
        _, at = heappop(queue)
        left = int(np.count_nonzero(~is_covered[covered[at]]))
        price = float(costs[at]) / max(1, left)
        if left and queue and (price, at) > queue[0]:
            heappush(queue, (price, at))
        elif left:
            chosen.append(at)
            is_covered[covered[at]] = True
    return chosen


def _drop_spare(chosen: list[int], covered: list[NDArray[np.int64]], channel_count: int) -> list[int]:
    """Return the chosen itemsets without those whose channels the others cover, tried in this order."""
    times, needed = np.zeros(channel_count, dtype=np.int64), []
    for at in chosen:
        times[covered[at]] += 1
    for at in chosen:
        if (times[covered[at]] > 1).all():
            times[covered[at]] -= 1
        else:
            needed.append(at)
    return needed


def withhold(problem: BlockProblem) -> BlockSolution:
    """Publish the safe core: the frequent itemsets whose cells each hold no row, or k rows and more.

    One more item splits cells, so all subsets of a safe itemset are safe, and the search turns back where a support or
    a cell becomes too small (docs/guarantee.md). The minimum support is at least k: at 1, readers would take a missing
    itemset for one that no row holds. Beside older releases, itemsets with a small difference from one go as well.
    """
    patterns, least = problem.patterns, max(problem.least, problem.k)
    core = find_safe_core(problem) if patterns.n >= least else Weighted.concat([])
    core = keep_with_parents(core, patterns.labels, patterns.hierarchy)
    n, threads, length = patterns.n, problem.threads, patterns.max_length
    core = core if length is None else core.take(np.flatnonzero(core.lengths <= length))
    listed = Patterns.from_codes(
        *core.arrays, patterns.labels, n=n, min_support=least, max_length=length, threads=threads
    )
    listed = replace(listed, schema=patterns.schema, hierarchy=patterns.hierarchy)
    if problem.beside:
        listed = follow(keep_apart(listed, problem.beside, k=problem.k, grown=problem.grown), listed)
    solution = BlockSolution.of(problem, listed, is_whole=False)
    while problem.schema and len(solution.patterns) and len(remainders := solution.find_threats()):
        solution = BlockSolution.of(problem, _break_up(solution.patterns, remainders), is_whole=False)
    return solution


def _break_up(patterns: Patterns, remainders: Channels) -> Patterns:
    """Leave out, for each remainder, the rarest of the longest itemsets in its sum, and all that contain it."""
    itemsets = (as_bits(itemset.tolist()) for itemset in patterns.itemsets)
    supports = dict(zip(itemsets, patterns.supports.tolist(), strict=True))
    tops = [as_bits(top.tolist()) for top in build_family(patterns).top_itemsets]
    chosen, cells = set[int](), remainders.cells
    for at in np.unique(cells.tops).tolist():
        top = as_bits(remainders.tops[at].tolist())
        within = {top & one for one in tops}
        for base in cells.bases.take(np.flatnonzero(cells.tops == at)):
            chosen.add(_choose_longest(within, as_bits(base.tolist()), supports))
    return leave_out(patterns, (frozenset(places(one)) for one in sorted(chosen)))


def _choose_longest(itemsets: Iterable[int], base: int, supports: Mapping[int, int]) -> int:
    """Return the longest of the itemsets that contain ``base``, and of several the rarest."""
    return max(itemsets, key=lambda one: (not base & ~one, one.bit_count(), -supports.get(one, 0), one))


def suppress_more(problem: BlockProblem) -> BlockSolution:
    """Suppress the rows that channels single out, and then the rows that other inferences hold for.

    Each round that infers something suppresses at least one row, since an inference holds for some rows: it ends. A
    belief may hold for none; then it is refused.
    """
    rows, numbers = problem.merged
    is_left = np.ones(len(rows), dtype=np.bool_)
    left, rounds, ends = problem.patterns, 0, None if problem.max_belief is None else monotonic() + problem.patience
    while True:
        part = np.flatnonzero(is_left)
        plain = suppress(replace(problem, rows=problem.as_rows(rows.take(part)), patterns=left))
        is_left[part[plain.suppressed]] = False
        left, rounds = plain.patterns, rounds + (plain.rounds or 0) + 1
        findings = infer(problem, left, rows.take(np.flatnonzero(is_left)), ends=ends).findings
        if not findings:
            return BlockSolution.of(problem, left, np.flatnonzero(~is_left[numbers]), rounds=rounds)
        hit = np.flatnonzero(is_left & match_rows(rows, [finding.pattern for finding in findings]))
        if not hit.size and problem.max_belief is not None:
            raise BudgetError(
                "readers believe in small groups that no row is in, so that leaving rows out does not help; use the "
                "method 'withhold', or raise ",
                *(Option("min_support"), ", or ", Option("max_belief")),
            )
        if not hit.size:
            raise GuaranteeError("no row is left that an inference holds for; nothing is released: please report this")
        is_left[hit] = False
        left = remove_rows(left, rows.take(hit))


def add_more(problem: BlockProblem, solve: Form = add) -> BlockSolution:
    """Add k rows for each channel, and for each other inference where that is allowed.

    An added row must be a frequent itemset, or others would become frequent (Theorem A2 of docs/guarantee.md). Where
    no such row fits an inference, the rows that it holds for are suppressed instead; after some rounds, all are. An
    inference about 1 to k − 1 rows holds for no added row, since those come in k. So each later round suppresses an
    original row, and it ends.
    """
    rows, numbers = problem.merged
    is_left = np.ones(len(rows), dtype=np.bool_)
    left, more = problem.patterns, NONE
    for turn in count():
        plain = solve(replace(problem, rows=Merged(NONE, left.labels, left.n, problem.least), patterns=left))
        more = Weighted.concat([more, plain.added])
        every = Weighted.concat([rows.take(np.flatnonzero(is_left)), more])
        findings = find_inferences(problem, plain.patterns, every)
        if not findings:
            return BlockSolution.of(problem, plain.patterns, np.flatnonzero(~is_left[numbers]), more)
        bases = [_find_base(finding, problem) if turn < ROUNDS else None for finding in findings]
        copied = Itemsets.of(sorted({tuple(sorted(base)) for base in bases if base is not None}))
        more = Weighted.concat([more, copied.weigh(np.full(len(copied), problem.k, dtype=np.int64))])
        rare = [finding.pattern for finding, base in zip(findings, bases, strict=True) if base is None]
        is_left &= ~match_rows(rows, rare)
        # An added row may be closed that was not before, so the itemsets are mined again.
        every = Weighted.concat([rows.take(np.flatnonzero(is_left)), more])
        left = problem.mine(problem.as_rows(every))
    raise AssertionError


def add_merged_more(problem: BlockProblem) -> BlockSolution:
    """Do the same with rows that each serve several channels."""
    return add_more(problem, add_merged)


def withhold_more(problem: BlockProblem) -> BlockSolution:
    """Withhold itemsets with too small cells, and then those on which inferences rest.

    From each inference it takes the longest itemset in its sums, and with it all that contain that one. So every
    subset of a published itemset stays published, and as each round withholds one, it ends.
    """
    patterns, ends = withhold(problem).patterns, monotonic() + problem.patience
    look = partial(infer, problem, rows=problem.merged[0], is_whole=False, ends=ends)
    found = look(patterns, history=find_past(problem, patterns, ends))
    while found.findings:
        patterns = leave_out(patterns, [_find_longest(finding, patterns) for finding in found.findings])
        found = look(patterns, history=found.history)
    return BlockSolution.of(problem, patterns, is_whole=False)


def _find_longest(inference: Inference, patterns: Patterns) -> Codes:
    """Return the longest of the patterns that an inference rests on; of several, the last."""
    named = (frozenset(inference.facts.labels[item] for item in itemset) for itemset in inference.itemsets)
    published = [frozenset(patterns.code[label] for label in itemset) for itemset in named if itemset in patterns]
    longest = max(published, key=lambda itemset: (len(itemset), sorted(itemset)), default=frozenset[int]())
    if not longest:
        raise InputError(
            "the older releases reveal fewer than k rows without the new one; leave one out of ",
            *(ASK, ", or withstand sums alone, with ", Option("against", "plain")),
        )
    return longest


def _find_base(inference: Inference, problem: BlockProblem) -> Codes | None:
    """Return the first cell of an inference that is a frequent itemset and can be a row, or None."""
    cells = sorted(map(sorted, inference.pattern.cells), key=lambda cell: (len(cell), cell))
    can_be = map(frozenset, compress(cells, problem.can_be_rows(Itemsets.of(cells))))
    return next((cell for cell in can_be if inference.facts.limits(cell)[0] >= problem.least), None)
