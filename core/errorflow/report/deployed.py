"""The run as deployed: for programs, and lines for people."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from errorflow.base.codec import spelled
from errorflow.compare.metrics import METRICS
from errorflow.graph.build import counted
from errorflow.study.simulate.deployed import Against, Deployed, DeployedOutput, Runtime

# Operators and outputs that are named.
SHOWN = 6
_SQNR = next(metric for metric in METRICS if metric.key == "sqnr")


def deployed_json(found: Deployed) -> dict[str, Any]:
    return {
        "outputs": [_output(each) for each in found.outputs],
        "samples": found.samples,
        "quantized": _runtime(found.quantized),
        "float": _runtime(found.floating),
        "notes": list(found.notes),
    }


def deployed_lines(found: Deployed) -> Iterator[str]:
    ran = found.quantized
    yield f"As deployed (ONNX Runtime {ran.version}, optimisation {ran.level}): {became(ran)}."
    yield from output_lines(found)
    yield from found.notes
    if found.outputs and all(each.simulated.same for each in found.outputs):
        yield "All outputs as deployed are bit for bit those of the simulation."


def reached(found: Deployed) -> str:
    """Says what a quantized model reaches that was made by other means than the simulation."""
    ran, count = found.quantized, counted(found.samples, "sample", "samples")
    texts = [line.replace(" as deployed", "") for line in output_lines(found)][:SHOWN]
    said = "; ".join(texts) if texts else "its outputs cannot be compared"
    return f"Run here by ONNX Runtime {ran.version}, with all optimisations, on {count}: {said}."


def output_lines(found: Deployed) -> Iterator[str]:
    """Yields how each output fares against the float reference."""
    for each in found.outputs:
        sqnr = each.reference.pooled().get(_SQNR.key)
        if sqnr is not None:
            planned = each.planned.pooled().get(_SQNR.key, math.nan)
            reached = f"{_SQNR.label} {_SQNR.text(sqnr)}"
            yield f"{each.tensor} as deployed: {reached} ({_SQNR.text(planned)} in simulation)"


def became(ran: Runtime) -> str:
    """Says how many nodes were left, and which of them are kernels that the file does not have."""
    fused = ", ".join(f"{count} {kind}" for kind, count in list(ran.fused.items())[:SHOWN])
    made = f", among them {fused}" if fused else ", none of them fused"
    return f"{ran.before:,} nodes became {ran.after:,}{made}"


def _output(each: DeployedOutput) -> dict[str, Any]:
    return {
        "tensor": each.tensor,
        "against_float": _against(each.reference),
        "against_simulated": _against(each.simulated),
        "simulated_against_float": _against(each.planned),
        "float_deployed_against_float": _against(each.floating),
        "changed_share": spelled(each.changed),
        "largest_difference_steps": None if each.steps is None else spelled(each.steps),
        "largest_difference_sample": each.sample,
    }


def _against(found: Against) -> dict[str, Any]:
    return {"values": _numbers(found.pooled()), "by_sample": [_numbers(values) for values in found.values()]}


def _numbers(values: Mapping[str, float]) -> dict[str, Any]:
    return {key: spelled(value) for key, value in values.items()}


def _runtime(ran: Runtime) -> dict[str, Any]:
    return {
        "ONNX Runtime": ran.version,
        "optimisation": ran.level,
        "threads": ran.threads,
        "nodes": ran.before,
        "nodes_after_optimisation": ran.after,
        "fused": dict(ran.fused),
        "weights_made_codes": ran.coded,
    }
