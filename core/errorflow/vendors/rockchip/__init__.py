"""Rockchip: RKNN-Toolkit."""

from typing import TYPE_CHECKING

from errorflow.base.vendor import Vendor

if TYPE_CHECKING:
    from errorflow.compare.results.table import Importer
    from errorflow.report.toolchains.model import Toolchain


def _results() -> "tuple[Importer, ...]":
    from errorflow.vendors.rockchip.results.analysis import RKNN
    from errorflow.vendors.rockchip.results.first_version import RKNN_V1
    from errorflow.vendors.rockchip.results.proposal import RKNN_PROPOSAL

    return (RKNN_PROPOSAL, RKNN, RKNN_V1)


def _toolchains() -> "tuple[Toolchain, ...]":
    from errorflow.vendors.rockchip.toolchains import RKNN

    return (RKNN,)


ROCKCHIP = Vendor("rockchip", results=_results, toolchains=_toolchains)
