"""Samsung: visq."""

from errorflow.base.vendor import Ranked, Vendor


def _results() -> tuple[Ranked, ...]:
    from errorflow.vendors.samsung.results import VISQ

    return (VISQ,)


def _definitions() -> tuple[Ranked, ...]:
    from errorflow.vendors.samsung.definitions import VISQ

    return VISQ


SAMSUNG = Vendor("samsung", results=_results, definitions=_definitions)
