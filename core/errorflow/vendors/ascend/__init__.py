"""Ascend: ATC, AMCT, msaccucmp, msprobe."""

from errorflow.base.vendor import Ranked, Vendor


def _formats() -> tuple[Ranked, ...]:
    from errorflow.vendors.ascend.formats.atc_json import AMCT_QUANT, ATC_JSON
    from errorflow.vendors.ascend.formats.om import OM

    return (ATC_JSON, AMCT_QUANT, OM)


def _results() -> tuple[Ranked, ...]:
    from errorflow.vendors.ascend.results.amct import AMCT_HISTORY, AMCT_RANKING, AMCT_SETTING
    from errorflow.vendors.ascend.results.mapping import MAPPING
    from errorflow.vendors.ascend.results.msaccucmp import MSACCUCMP
    from errorflow.vendors.ascend.results.msprobe_dump import MSPROBE_DUMP
    from errorflow.vendors.ascend.results.msprobe_graph import MSPROBE_GRAPH

    return (MSPROBE_GRAPH, MSACCUCMP, MAPPING, AMCT_RANKING, AMCT_HISTORY, AMCT_SETTING, MSPROBE_DUMP)


def _definitions() -> tuple[Ranked, ...]:
    from errorflow.vendors.ascend.definitions import AMCT, MSACCUCMP, MSPROBE

    return (*AMCT, *MSACCUCMP, *MSPROBE)


def _comparers() -> tuple[Ranked, ...]:
    from errorflow.vendors.ascend.comparer.printing import MSACCUCMP

    return (MSACCUCMP,)


def _presets() -> tuple[Ranked, ...]:
    from errorflow.vendors.ascend.presets import PRESETS

    return PRESETS


def _toolchains() -> tuple[Ranked, ...]:
    from errorflow.vendors.ascend.toolchains.config import AMCT
    from errorflow.vendors.ascend.toolchains.record import AMCT_RECORD
    from errorflow.vendors.ascend.toolchains.simple import AMCT_SIMPLE

    return (AMCT, AMCT_SIMPLE, AMCT_RECORD)


def _searches() -> tuple[Ranked, ...]:
    from errorflow.vendors.ascend.search_files import AMCT_SEARCH

    return (AMCT_SEARCH,)


def _guide() -> tuple[Ranked, ...]:
    from errorflow.vendors.ascend.guide.flows import ASCEND
    from errorflow.vendors.ascend.guide.npu_npu import NPU_NPU
    from errorflow.vendors.ascend.guide.questions import QUESTIONS, TARGET

    return (*ASCEND, *NPU_NPU, *QUESTIONS, TARGET)


def _advice() -> tuple[Ranked, ...]:
    from errorflow.vendors.ascend.advice import ASCEND

    return (ASCEND,)


ASCEND = Vendor(
    "ascend",
    formats=_formats,
    results=_results,
    definitions=_definitions,
    comparers=_comparers,
    presets=_presets,
    toolchains=_toolchains,
    searches=_searches,
    guide=_guide,
    advice=_advice,
)
