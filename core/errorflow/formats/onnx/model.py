"""Builds the `Model` from a slim model: its graphs, functions and what is missing beside it."""

from collections.abc import Iterator
from dataclasses import replace

from errorflow.base.errors import ErrorflowError
from errorflow.base.files import Snapshot
from errorflow.base.progress import Progress
from errorflow.formats.onnx.external import beside, is_there
from errorflow.formats.onnx.facts import EXAMPLES, facts, listed
from errorflow.formats.onnx.graphs import Reading, read_function, read_graph
from errorflow.formats.onnx.index import Parts
from errorflow.formats.onnx.schema import FUNCTION, MODEL
from errorflow.formats.wire import Message, Span, WireError
from errorflow.graph.model import Function, Graph, Model, Problem

LABEL = "ONNX model"
MAX_LOOKED_FOR = 1000
FIRST_WITH_OPSETS = 3


def build_model(data: bytes, file: Snapshot, progress: Progress, label: str = LABEL) -> Model:
    """The model in the bytes of a ModelProto, whose large tensors may have been left out."""
    message = Message.of(data)
    if MODEL.GRAPH not in message:
        raise WireError("it ends before its graph begins")
    reading = Reading(data, file, progress)
    parts = Parts.of(data, message.all(MODEL.GRAPH), progress)
    graph = read_graph(reading, parts)
    functions = tuple(_function(reading, span) for span in message.all(MODEL.FUNCTIONS))
    graph = with_problems(graph, *_missing_end(message), *_missing_files(reading))
    return Model(file.path, label, graph, tuple(facts(message, parts, reading, graph)), functions)


def with_problems(graph: Graph, *problems: Problem) -> Graph:
    return replace(graph, problems=graph.problems + problems) if problems else graph


def _function(reading: Reading, span: Span) -> Function:
    message = Message.of(reading.data, *span)
    name, overload = message.text(FUNCTION.NAME), message.text(FUNCTION.OVERLOAD)
    title = f"{name}:{overload}" if overload else name
    return Function(message.text(FUNCTION.DOMAIN), title, replace(read_function(reading, span), name=title))


def _missing_end(message: Message) -> Iterator[Problem]:
    """A file that was cut off right behind its graph looks whole but for this."""
    if MODEL.OPSET_IMPORT not in message and message.number(MODEL.IR_VERSION) >= FIRST_WITH_OPSETS:
        yield Problem("It does not say which version of the operators it means; the end of the file may be missing.")


def _missing_files(reading: Reading) -> Iterator[Problem]:
    """Values that will not be found when they are asked for."""
    missing: list[str] = []
    refused: list[str] = []
    for name in sorted(reading.locations)[:MAX_LOOKED_FOR]:
        try:
            missing += [] if is_there(beside(reading.file.path, name)) else [name]
        except ErrorflowError as error:
            refused.append(error.message)
    if missing:
        yield Problem(f"Files with its values are missing; copy them into the folder of the model: {listed(missing)}.")
    yield from map(Problem, refused[:EXAMPLES])
