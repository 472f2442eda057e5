"""A way in which models hold their quantization, and how it is taken out."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base.values import dataclass
from errorflow.graph.qparams import QParams

if TYPE_CHECKING:
    import onnx

    from errorflow.quant.readback.rewrite import Rewrite

# Puts floats in place of a node. None: it is gone; else it stays as it is, and why, where that is worth a word.
Handler = Callable[["Rewrite", "onnx.NodeProto"], str | None]
# How a node codes what it reads first; None: not at all, or in a way that a plan cannot have.
Params = Callable[["Rewrite", "onnx.NodeProto"], QParams | None]


@dataclass(frozen=True, slots=True)
class Apart:
    """Kind of models whose operators cannot be rewritten: where their scales are, and the float model to put them
    on.
    """

    # By tensor, None for those in float; and what is wrong with some. Raises where there are none.
    scales: Callable[[Path], tuple[Mapping[str, QParams | None], tuple[str, ...]]]
    # The float model in the same folder, if it is there.
    original: Callable[[Path], Path | None]
    # Operators that only make codes or values.
    coding: frozenset[str]
    # Where users find the float model.
    where: str


@dataclass(frozen=True, slots=True)
class ReadbackKind:
    """Kind of quantized model by types of operators, which each belong to one kind only."""

    key: str
    label: str
    # A model that has one of these is quantized in this way.
    marks: frozenset[str]
    handlers: Mapping[str, Handler]
    # Those that make what their readers get as codes would have it.
    quantizers: Mapping[str, Params]
    # Whether ONNX Runtime runs such models as they are.
    runs: bool = True
    # Operators whose type begins so, with a capital behind, are marks too.
    prefix: str = ""
    apart: Apart | None = None
    # The order of asking.
    rank: int = 0

    def is_mark(self, op_type: str) -> bool:
        begins = bool(self.prefix) and op_type.startswith(self.prefix) and op_type[len(self.prefix) :][:1].isupper()
        return begins or op_type in self.marks
