"""Which of several files belongs to which run: names of operators decide, as far as they can."""

from collections.abc import Sequence

from errorflow.case.scenarios.found import Found

_SEVERAL = 2


def best_for(run: Found, among: Sequence[Found]) -> Found | None:
    """The one that has most of the run's operators and fewest others; None: nothing tells it from the rest."""
    ranked = sorted(among, key=lambda each: -_alike(run, each))
    if not ranked or not _alike(run, ranked[0]):
        return None
    told = len(ranked) == 1 or _alike(run, ranked[0]) > _alike(run, ranked[1])
    return ranked[0] if told else None


def unfused(rules: Sequence[Found]) -> Found | None:
    """Of two compiled models the one without fusion: it has more operators of the same kind of network."""
    if len(rules) != _SEVERAL or not (rules[0].operators & rules[1].operators):
        return None
    first, second = sorted(rules, key=lambda each: -len(each.operators))
    return first if len(first.operators) > len(second.operators) else None


def _alike(run: Found, other: Found) -> float:
    both = len(run.operators & other.operators)
    return both / len(run.operators | other.operators) if both else 0.0
