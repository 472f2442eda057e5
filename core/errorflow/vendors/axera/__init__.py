"""Axera: Pulsar2."""

from typing import TYPE_CHECKING

from errorflow.base.vendor import Vendor

if TYPE_CHECKING:
    from errorflow.compare.results.table import Importer
    from errorflow.report.toolchains.model import Toolchain


def _results() -> "tuple[Importer, ...]":
    from errorflow.vendors.axera.results.chart import PULSAR2_CHART
    from errorflow.vendors.axera.results.tables import PULSAR2

    return (PULSAR2_CHART, PULSAR2)


def _toolchains() -> "tuple[Toolchain, ...]":
    from errorflow.vendors.axera.toolchains.pulsar2 import PULSAR2

    return (PULSAR2,)


AXERA = Vendor("axera", results=_results, toolchains=_toolchains)
