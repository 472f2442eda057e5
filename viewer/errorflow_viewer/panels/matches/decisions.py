"""What the user decided about matches, as the session holds it."""

from errorflow.session.model import HandPair

Pairs = tuple[HandPair, ...]


def with_pair(pairs: Pairs, candidate: str, reference: str) -> Pairs:
    """A candidate has one partner: what was decided about it before is replaced."""
    return (*without(pairs, candidate), HandPair(candidate, reference))


def without(pairs: Pairs, candidate: str) -> Pairs:
    """Nothing is decided about a candidate any more."""
    return tuple(pair for pair in pairs if pair.candidate != candidate)


def decided(pairs: Pairs, candidate: str) -> bool:
    """Whether the user said something about it."""
    return any(pair.candidate == candidate for pair in pairs)
