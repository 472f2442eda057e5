"""Samsung: visq."""

from typing import TYPE_CHECKING

from errorflow.base.vendor import Vendor

if TYPE_CHECKING:
    from errorflow.compare.results.table import Importer


def _results() -> "tuple[Importer, ...]":
    from errorflow.vendors.samsung.results import VISQ

    return (VISQ,)


SAMSUNG = Vendor("samsung", results=_results)
