"""Whether a model can be simulated at all, as far as that can be seen without running it."""

from itertools import islice

from errorflow.base.errors import ErrorflowError, WrongFileError
from errorflow.formats.onnx.external import beside, is_there
from errorflow.graph.model import Graph, Model
from errorflow.quant.readback.reading import kind_of
from errorflow.run.model import RunError
from errorflow.run.ort import can_run

# Domains of operators that ONNX Runtime has.
_KNOWN = frozenset(("", "ai.onnx", "ai.onnx.ml", "com.microsoft", "com.microsoft.nchwc", "com.ms.internal.nhwc"))
# So many constants are looked for.
_MOST = 100_000


def why_not(model: Model) -> ErrorflowError | None:
    """Says why not; None: nothing speaks against it yet; ONNX Runtime may still refuse it."""
    if model.format != "ONNX model":
        return WrongFileError(
            f"{model.path.name} cannot be run ({model.format}).",
            "Open the ONNX model that it was made of to simulate; two runs of it can be compared as ever.",
        )
    if not can_run():
        return RunError(
            "Running models needs ONNX Runtime, which is not installed.",
            "Install it with `pip install errorflow[run]`.",
        )
    lost = _lost(model)
    if lost:
        return RunError(
            f"{model.path.name} cannot be run: {lost}, which holds values of it, is missing.",
            "Copy that file into the folder of the model, and reload.",
        )
    return _unknown(model)


def _lost(model: Model) -> str:
    """The first file beside the model that is not there; "": all are."""
    weights = model.graph.weights
    places = {weights.info(name).location for name in islice(weights.names(), _MOST)}
    for place in sorted(places - {""}):
        try:
            if not is_there(beside(model.path, place)):
                return place
        except ErrorflowError:  # it leads out of the folder, and is not read
            return place
    return ""


def _unknown(model: Model) -> ErrorflowError | None:
    """The first operator that ONNX Runtime has never heard of, nor the model says what it does."""
    if kind_of(model.graph) is not None:  # its operators are taken out
        return None
    known = _KNOWN | {function.domain for function in model.functions}
    node = next((node for node, domain in enumerate(_domains(model.graph)) if domain not in known), None)
    if node is None:
        return None
    graph = model.graph
    kind = f"{graph.domains[node]}:{graph.op_types[node]}"
    return RunError(
        f"{model.path.name} cannot be run: ONNX Runtime has no operator {kind}, which {graph.title(node)} is.",
        "Export the model with operators of ONNX. Looking at it, and comparing runs of it, works as ever.",
    )


def _domains(graph: Graph) -> list[str]:
    return [graph.domains[node] for node in range(len(graph))]
