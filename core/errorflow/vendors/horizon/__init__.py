"""Horizon and D-Robotics: hb_mapper, hmct."""

from typing import TYPE_CHECKING

from errorflow.base.vendor import Vendor

if TYPE_CHECKING:
    from errorflow.compare.results.table import Importer
    from errorflow.report.toolchains.model import Toolchain


def _results() -> "tuple[Importer, ...]":
    from errorflow.vendors.horizon.results.build import HORIZON_BUILD
    from errorflow.vendors.horizon.results.qat import HORIZON_QAT
    from errorflow.vendors.horizon.results.sensitivity import HORIZON_SENSITIVITY

    return (HORIZON_QAT, HORIZON_BUILD, HORIZON_SENSITIVITY)


def _toolchains() -> "tuple[Toolchain, ...]":
    from errorflow.vendors.horizon.toolchains.hmct import HMCT
    from errorflow.vendors.horizon.toolchains.mapper import HORIZON

    return (HORIZON, HMCT)


HORIZON = Vendor("horizon", results=_results, toolchains=_toolchains)
