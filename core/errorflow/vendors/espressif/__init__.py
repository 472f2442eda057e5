"""Espressif: PPQ."""

from errorflow.base.vendor import Ranked, Vendor


def _results() -> tuple[Ranked, ...]:
    from errorflow.vendors.espressif.results import PPQ

    return (PPQ,)


def _definitions() -> tuple[Ranked, ...]:
    from errorflow.vendors.espressif.definitions import PPQ

    return PPQ


ESPRESSIF = Vendor("espressif", results=_results, definitions=_definitions)
