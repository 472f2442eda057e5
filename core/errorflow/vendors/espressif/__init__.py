"""Espressif: PPQ."""

from typing import TYPE_CHECKING

from errorflow.base.vendor import Vendor

if TYPE_CHECKING:
    from errorflow.compare.results.table import Importer


def _results() -> "tuple[Importer, ...]":
    from errorflow.vendors.espressif.results import PPQ

    return (PPQ,)


ESPRESSIF = Vendor("espressif", results=_results)
