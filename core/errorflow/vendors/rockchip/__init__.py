"""Rockchip: RKNN-Toolkit."""

from errorflow.base.vendor import Ranked, Vendor


def _folders() -> tuple[Ranked, ...]:
    from errorflow.vendors.rockchip.folders import RKNN

    return (RKNN,)


def _results() -> tuple[Ranked, ...]:
    from errorflow.vendors.rockchip.results.analysis import RKNN
    from errorflow.vendors.rockchip.results.first_version import RKNN_V1
    from errorflow.vendors.rockchip.results.proposal import RKNN_PROPOSAL

    return (RKNN_PROPOSAL, RKNN, RKNN_V1)


def _definitions() -> tuple[Ranked, ...]:
    from errorflow.vendors.rockchip.definitions import RKNN

    return RKNN


def _toolchains() -> tuple[Ranked, ...]:
    from errorflow.vendors.rockchip.toolchains import RKNN

    return (RKNN,)


def _advice() -> tuple[Ranked, ...]:
    from errorflow.vendors.rockchip.advice import RKNN

    return (RKNN,)


ROCKCHIP = Vendor(
    "rockchip", folders=_folders, results=_results, definitions=_definitions, toolchains=_toolchains, advice=_advice
)
