"""Ascend: ATC, AMCT, msaccucmp, msprobe."""

from typing import TYPE_CHECKING

from errorflow.base.vendor import Vendor

if TYPE_CHECKING:
    from errorflow.compare.results.table import Importer
    from errorflow.report.toolchains.model import Toolchain


def _results() -> "tuple[Importer, ...]":
    from errorflow.vendors.ascend.results.amct import AMCT_HISTORY, AMCT_RANKING, AMCT_SETTING
    from errorflow.vendors.ascend.results.mapping import MAPPING
    from errorflow.vendors.ascend.results.msaccucmp import MSACCUCMP
    from errorflow.vendors.ascend.results.msprobe_dump import MSPROBE_DUMP
    from errorflow.vendors.ascend.results.msprobe_graph import MSPROBE_GRAPH

    return (MSPROBE_GRAPH, MSACCUCMP, MAPPING, AMCT_RANKING, AMCT_HISTORY, AMCT_SETTING, MSPROBE_DUMP)


def _toolchains() -> "tuple[Toolchain, ...]":
    from errorflow.vendors.ascend.toolchains.config import AMCT
    from errorflow.vendors.ascend.toolchains.record import AMCT_RECORD
    from errorflow.vendors.ascend.toolchains.simple import AMCT_SIMPLE

    return (AMCT, AMCT_SIMPLE, AMCT_RECORD)


ASCEND = Vendor("ascend", results=_results, toolchains=_toolchains)
