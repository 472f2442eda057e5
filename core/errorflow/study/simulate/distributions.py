"""Distribution of a tensor's values over the samples of a simulation, before and after it is quantized."""

from collections.abc import Iterator, Sequence

import numpy as np

from errorflow.base.errors import UsageError
from errorflow.base.progress import SILENT, Progress
from errorflow.explain.inspect.distribution import Array, Distribution, distribution
from errorflow.explain.outliers.axes import Axes
from errorflow.graph.model import Graph
from errorflow.graph.qparams import QParams
from errorflow.quant.fake import fake_quantize
from errorflow.quant.operators import PRODUCTS
from errorflow.quant.plan import Plan
from errorflow.run.engine.engine import Engine
from errorflow.study.simulate.coded import qparams_under


def distribution_of(
    engine: Engine,
    plan: Plan,
    tensor: str,
    samples: Sequence[int] | None = None,
    axis: int | None = None,
    progress: Progress = SILENT,
) -> Distribution:
    """Finds that of a weight before and after it is coded; of what flows in the float run and in the whole run under
    the plan.

    `axis`: that of the channels, negative ones count from the end; None: as the operators have it.
    """
    graph = engine.graph
    number = graph.tensor_index(tensor)
    if number is None:
        raise UsageError(f"The model has no tensor {tensor[:100]}.", "`errorflow inspect MODEL --nodes` lists them.")
    if not engine.floats[number]:
        raise UsageError(f"{tensor[:100]} holds no floats, and has no distribution.", "Choose another tensor.")
    if tensor in frozenset(graph.weights.names()):
        return _of_weight(engine, plan, tensor, axis, progress)
    if tensor not in engine.tensors and number not in graph.inputs.tolist():
        raise UsageError(f"{tensor[:100]} is not made when the model runs.", "Choose another tensor.")
    return _of_activation(engine, plan, tensor, samples, axis, progress)


def _of_weight(engine: Engine, plan: Plan, tensor: str, axis: int | None, progress: Progress) -> Distribution:
    graph = engine.graph
    values = graph.weights.read(tensor)
    qparams = qparams_under(engine, plan, tensor)
    after = None if qparams is None else fake_quantize(values, qparams)
    node, channels = _reader(graph, tensor)
    channels = channels if axis is None else axis
    return distribution(
        tensor,
        lambda: iter([(values, after)]),
        kind="weight",
        qparams=qparams,
        axis=_channels(values.shape, channels, qparams),
        node="" if node is None else graph.title(node),
        op_type="" if node is None else graph.op_types[node],
        progress=progress,
    )


def _of_activation(
    engine: Engine, plan: Plan, tensor: str, samples: Sequence[int] | None, axis: int | None, progress: Progress
) -> Distribution:
    graph = engine.graph
    number = graph.tensor_index(tensor)
    maker = -1 if number is None else int(graph.producers[number])
    numbers = range(engine.samples) if samples is None else samples
    first = engine.values(None, [tensor], numbers[0])[tensor]

    def feed() -> Iterator[tuple[Array, Array | None]]:
        for sample in numbers:
            before, after = (engine.values(each, [tensor], sample)[tensor] for each in (None, plan))
            yield before, after

    return distribution(
        tensor,
        feed,
        qparams=qparams_under(engine, plan, tensor),
        axis=Axes(graph, axis).axis(tensor, np.shape(first)),
        node="" if maker < 0 else graph.title(maker),
        op_type="" if maker < 0 else graph.op_types[maker],
        progress=progress,
    )


def _reader(graph: Graph, tensor: str) -> tuple[int | None, int | None]:
    """The first node that reads a constant, and along which axis its channels are."""
    number = graph.tensor_index(tensor)
    readers: list[int] = [] if number is None else graph.consumers[number].tolist()
    for reader in readers:
        row, node = PRODUCTS.get(graph.op_types[reader]), graph.node(reader)
        if row is not None and row.weight < len(node.inputs) and node.inputs[row.weight] == tensor:
            return reader, row.axis_of(node)
    return (readers[0] if readers else None), None


def _channels(shape: tuple[int, ...], axis: int | None, qparams: QParams | None) -> int | None:
    """The axis as a number from 0 on; None: there are no channels."""
    if qparams is not None and qparams.axis is not None and axis is None:
        axis = qparams.axis
    if axis is None or not -len(shape) <= axis < len(shape):
        return None
    found = axis % len(shape)
    return found if shape[found] > 1 and len(shape) > 1 else None
