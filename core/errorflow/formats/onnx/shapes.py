"""Fills in missing shapes and types, in the background: `Model.infer_shapes` of a model that was read."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from errorflow.base import ErrorflowError, FormatError, Progress
from errorflow.base.arrays import CodedColumn, T
from errorflow.base.files import Snapshot
from errorflow.base.workers import run_apart
from errorflow.formats.onnx.model import build_model, with_problems
from errorflow.formats.wire import WireError
from errorflow.graph.model import Graph, Model, Problem, Shape

TEXT = "Working out shapes"
TIMEOUT_SECONDS = 120.0
# Domains for whose operators ONNX knows how shapes come about.
DOMAINS = frozenset(("", "ai.onnx", "ai.onnx.ml", "ai.onnx.preview.training"))


def with_inference(model: Model, data: bytes, file: Snapshot) -> Model:
    """The same model, able to fill in its shapes if something can be gained by it."""
    if not any(_gains(graph, model) for _, graph in model.graph.walk()):
        return model

    def infer_shapes(progress: Progress) -> Model:
        return filled(model, data, file, progress)

    return replace(model, infer_shapes=infer_shapes)


def filled(model: Model, data: bytes, file: Snapshot, progress: Progress) -> Model:
    """The model with shapes; where that fails, as it was, and what went wrong among its problems."""
    try:
        new = build_model(_inferred(data, progress), file, progress, model.format)
    except ErrorflowError as error:
        return _unchanged(model, error.message)
    except WireError as error:
        return _unchanged(model, f"ONNX's shape inference gave back a broken model: {error}.")
    return new if _same_nodes(model, new) else _unchanged(model, "ONNX's shape inference changed the graph.")


def _inferred(data: bytes, progress: Progress) -> bytes:
    """Following values finds more, and fails more often."""
    try:
        return run_apart(infer, data, True, text=TEXT, progress=progress, timeout=TIMEOUT_SECONDS)
    except ErrorflowError:
        return run_apart(infer, data, False, text=TEXT, progress=progress, timeout=TIMEOUT_SECONDS)


def _unchanged(model: Model, reason: str) -> Model:
    problem = Problem(f"Shapes could not be worked out. {reason}")
    return replace(model, graph=with_problems(model.graph, problem), infer_shapes=None)


def _same_nodes(old: Model, new: Model) -> bool:
    before, after = ([(path, len(graph)) for path, graph in model.graph.walk()] for model in (old, new))
    return before == after


def _gains(graph: Graph, model: Model) -> bool:
    """Whether a tensor lacks its type or shape that is made by an operator of which ONNX knows what it makes."""
    known = DOMAINS | {function.domain for function in model.functions}
    makers = graph.producers[graph.producers >= 0]
    made = graph.producers >= 0
    lacks = _rows(graph.dtypes, lambda dtype: not dtype) | _rows(graph.shapes, _is_open)
    knows = _rows(graph.domains, lambda domain: domain in known)
    return bool((lacks[made] & knows[makers]).any())


def _rows(column: CodedColumn[T], test: Callable[[T], bool]) -> NDArray[np.bool_]:
    """Marks the rows whose value passes."""
    flags: NDArray[np.bool_] = np.array([test(value) for value in column.values], np.bool_)[column.codes]
    return flags


def _is_open(shape: Shape) -> bool:
    return shape is None or None in shape


MAX_REASON = 200


def infer(model: bytes, follow_values: bool) -> bytes:
    """The model with types of inner tensors filled in; `follow_values` also computes shapes that are computed inside
    the graph (Shape, Gather, Concat, Reshape …).
    """
    from onnx.onnx_cpp2py_export import shape_inference

    gave_up = (shape_inference.InferenceError, ValueError, RuntimeError, TypeError, IndexError, OverflowError)
    try:
        return shape_inference.infer_shapes(model, False, False, follow_values)
    except gave_up as error:
        reason = str(error).strip().split("\n", 1)[0][:MAX_REASON]
        raise FormatError(f"ONNX's shape inference gave up: {reason}", "The model is shown without them.") from error
