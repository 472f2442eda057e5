"""Horizon and D-Robotics: hb_mapper, hmct."""

from errorflow.base.vendor import Ranked, Vendor


def _folders() -> tuple[Ranked, ...]:
    from errorflow.vendors.horizon.folders import HORIZON

    return (HORIZON,)


def _results() -> tuple[Ranked, ...]:
    from errorflow.vendors.horizon.results.build import HORIZON_BUILD
    from errorflow.vendors.horizon.results.qat import HORIZON_QAT
    from errorflow.vendors.horizon.results.sensitivity import HORIZON_SENSITIVITY

    return (HORIZON_QAT, HORIZON_BUILD, HORIZON_SENSITIVITY)


def _definitions() -> tuple[Ranked, ...]:
    from errorflow.vendors.horizon.definitions import HORIZON

    return HORIZON


def _presets() -> tuple[Ranked, ...]:
    from errorflow.vendors.horizon.presets import PRESETS

    return PRESETS


def _readback() -> tuple[Ranked, ...]:
    from errorflow.vendors.horizon.readback import HORIZON

    return (HORIZON,)


def _toolchains() -> tuple[Ranked, ...]:
    from errorflow.vendors.horizon.toolchains.hmct import HMCT
    from errorflow.vendors.horizon.toolchains.mapper import HORIZON

    return (HORIZON, HMCT)


def _guide() -> tuple[Ranked, ...]:
    from errorflow.vendors.horizon.guide.flows import HORIZON, TARGET

    return (*HORIZON, TARGET)


def _advice() -> tuple[Ranked, ...]:
    from errorflow.vendors.horizon.advice import HORIZON

    return (HORIZON,)


HORIZON = Vendor(
    "horizon",
    folders=_folders,
    results=_results,
    definitions=_definitions,
    presets=_presets,
    readback=_readback,
    toolchains=_toolchains,
    guide=_guide,
    advice=_advice,
)
