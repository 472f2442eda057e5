"""The weights of a simulation: in float, and as the plan codes them."""

from typing import Any

from numpy.typing import NDArray

from errorflow.base.values import dataclass, field, replace
from errorflow.compare.match.model import Pair
from errorflow.explain.inspect.constants import channels_of
from errorflow.explain.inspect.others import OtherWeight
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Graph
from errorflow.graph.qparams import QParams
from errorflow.quant.fake import fake_quantize
from errorflow.quant.plan import Plan
from errorflow.run.engine.engine import Engine
from errorflow.study.simulate.coded import qparams_under

NOT_READ = "The simulation knows no weight of this name."
IN_FLOAT = "The plan leaves it in float."


@dataclass(frozen=True, slots=True)
class _Weight:
    """A stored tensor: as it is in the file, or with a scale what its codes stand for."""

    info: TensorInfo
    graph: Graph = field(repr=False, compare=False)
    coded: QParams | None = None

    @property
    def path(self) -> str:
        return self.info.name

    def read(self) -> NDArray[Any]:
        values = self.graph.weights.read(self.info.name)
        return values if self.coded is None else fake_quantize(values, self.coded)


@dataclass(frozen=True)
class PlannedWeights:
    """Weights of the model that is on view: the float model itself."""

    graph: Graph
    engine: Engine = field(repr=False)
    plan: Plan

    def find(self, node: int, place: int) -> OtherWeight:
        """Finds what a node reads as an input, in float against coded."""
        name = self.graph.tensor_names[int(self.graph.node_inputs[node][place])]
        if name not in set(self.engine.graph.weights.names()):
            return OtherWeight(NOT_READ)
        qparams = qparams_under(self.engine, self.plan, name)
        if qparams is None:
            return OtherWeight(IN_FLOAT)
        weight = self.engine.graph.weights.info(name)
        info = TensorInfo(name, weight.dtype, weight.shape, weight.nbytes)
        sides = replace(info, qparams=qparams), info
        axis = qparams.axis if qparams.axis is not None else channels_of(self.graph, node, place)
        pair = Pair(
            name,
            _Weight(sides[0], self.engine.graph, qparams),
            _Weight(sides[1], self.engine.graph),
            node=self.graph.title(node),
            op_type=self.graph.op_types[node],
            layout=_layout(len(weight.shape), axis),
        )
        scales = (
            f"{len(qparams.scales):,} scales along axis {qparams.axis}" if qparams.axis is not None else "one scale"
        )
        kind = f"{'' if qparams.signed else 'u'}int{qparams.bits}"
        return OtherWeight(f"Float against {kind} with {scales}, as the plan codes it.", pair, planned=True)


def _layout(rank: int, axis: int | None) -> str:
    """Tells nothing but where the channels lie."""
    others = "abdefghij"
    if axis is None or rank > len(others):
        return ""
    return "".join("C" if at == axis % rank else others[at] for at in range(rank))
