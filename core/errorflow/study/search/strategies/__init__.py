"""The strategies of a search. To add one: a file with a `Strategy`, and a row of STRATEGIES."""

from errorflow.base.errors import UsageError
from errorflow.study.search.steps import Strategy
from errorflow.study.search.strategies.binary import BINARY
from errorflow.study.search.strategies.greedy import GREEDY
from errorflow.study.search.strategies.ladder import LADDER
from errorflow.study.search.strategies.noise import NOISE

STRATEGIES: tuple[Strategy, ...] = (NOISE, GREEDY, LADDER, BINARY)


def strategy(key: str) -> Strategy:
    """The row of that key."""
    for found in STRATEGIES:
        if found.key == key:
            return found
    known = ", ".join(each.key for each in STRATEGIES)
    raise UsageError(f"There is no strategy {key[:60]}.", f"Take {known}, or a Python file with one of your own.")
