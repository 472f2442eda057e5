"""The plan that a search ends with."""

from errorflow.quant.plan import Plan
from errorflow.study.search.model import Search, Tried
from errorflow.study.search.raising import Raising
from errorflow.study.simulate.bench import Bench


def plan_of(bench: Bench, search: Search, tried: Tried | None = None) -> Plan:
    """Makes the plan of a trial; without one of the best, which is the plan as it is where nothing was tried."""
    tried = search.best if tried is None else tried
    if tried is None or not len(tried.choice):
        return search.plan
    return Raising(bench.engine, search.plan, search.wish.kind).plan(search.chosen(tried))
