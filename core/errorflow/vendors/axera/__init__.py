"""Axera: Pulsar2."""

from errorflow.base.vendor import Ranked, Vendor


def _folders() -> tuple[Ranked, ...]:
    from errorflow.vendors.axera.folders import AXERA

    return (AXERA,)


def _results() -> tuple[Ranked, ...]:
    from errorflow.vendors.axera.results.chart import PULSAR2_CHART
    from errorflow.vendors.axera.results.tables import PULSAR2

    return (PULSAR2_CHART, PULSAR2)


def _definitions() -> tuple[Ranked, ...]:
    from errorflow.vendors.axera.definitions import PULSAR2

    return PULSAR2


def _presets() -> tuple[Ranked, ...]:
    from errorflow.vendors.axera.presets import PRESETS

    return PRESETS


def _readback() -> tuple[Ranked, ...]:
    from errorflow.vendors.axera.readback import PULSAR2

    return (PULSAR2,)


def _toolchains() -> tuple[Ranked, ...]:
    from errorflow.vendors.axera.toolchains.pulsar2 import PULSAR2

    return (PULSAR2,)


def _guide() -> tuple[Ranked, ...]:
    from errorflow.vendors.axera.guide.flows import PULSAR2, TARGET

    return (*PULSAR2, TARGET)


def _advice() -> tuple[Ranked, ...]:
    from errorflow.vendors.axera.advice import PULSAR2

    return (PULSAR2,)


AXERA = Vendor(
    "axera",
    folders=_folders,
    results=_results,
    definitions=_definitions,
    presets=_presets,
    readback=_readback,
    toolchains=_toolchains,
    guide=_guide,
    advice=_advice,
)
