"""ATC JSON, which `atc --mode=1` prints from an offline model, and the quantization information of AMCT."""

from dataclasses import replace

from errorflow.base.arrays import frozen
from errorflow.base.files import Source
from errorflow.base.progress import Progress
from errorflow.formats.compiled import Listing
from errorflow.formats.format import Format
from errorflow.graph.model import Model, Problem
from errorflow.vendors.ascend.formats.claims import is_atc_json, is_quant_info

_QUANT_INFO = Problem(
    "This is AMCT's quantization information, not a network: it lists which original layers each operator of the "
    "quantized model stands for, without connections. It is used when an original model is compared with a quantized "
    "one. What flows where is not known."
)


def _read_model(source: Source, progress: Progress) -> Model:
    from errorflow.vendors.ascend.formats.json_model import read

    return read(source, ATC_JSON.label, progress)


def _read_quant_info(source: Source, progress: Progress) -> Model:
    from errorflow.vendors.ascend.formats.json_model import read

    model = read(source, AMCT_QUANT.label, progress, listed=True)
    problem = replace(_QUANT_INFO, where=model.graph.name)
    # A list has no ends: what is read before it and behind it is not known.
    graph = replace(model.graph, problems=(problem, *model.graph.problems), inputs=frozen([]))
    return replace(model, graph=graph, facts=(("Content", "AMCT quantization information"), *model.facts))


def _list(source: Source, progress: Progress) -> Listing:
    from errorflow.vendors.ascend.formats.listing import of_json

    return of_json(source, progress)


ATC_JSON = Format(
    key="atc-json",
    label="ATC JSON of an Ascend offline model",
    holds="model",
    extensions=(".json",),
    claims=is_atc_json,
    read=_read_model,
    obtain="Print it from the offline model with `atc --mode=1 --om=model.om --json=model.json`.",
    listing=_list,
)
AMCT_QUANT = Format(
    key="amct-quant",
    label="AMCT quantization information",
    holds="model",
    extensions=(".json",),
    claims=is_quant_info,
    read=_read_quant_info,
    obtain="AMCT writes it beside the quantized model, as <prefix>_quant.json.",
    listing=_list,
)
