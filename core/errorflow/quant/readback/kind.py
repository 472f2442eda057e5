"""A way in which models hold their quantization, and how it is taken out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from errorflow.qparams import QParams

if TYPE_CHECKING:
    import onnx

    from errorflow.quant.readback.rewrite import Rewrite

# Puts floats in place of a node. None: it is gone; else it stays as it is, and why, where that is worth a word.
Handler = Callable[["Rewrite", "onnx.NodeProto"], str | None]
# How a node codes what it reads first; None: not at all, or in a way that a plan cannot have.
Params = Callable[["Rewrite", "onnx.NodeProto"], QParams | None]


@dataclass(frozen=True, slots=True)
class Kind:
    """By types of operators, which each belong to one kind only."""

    key: str
    label: str
    # A model that has one of these is quantized in this way.
    marks: frozenset[str]
    handlers: Mapping[str, Handler]
    # Those that make what their readers get as codes would have it.
    quantizers: Mapping[str, Params]
