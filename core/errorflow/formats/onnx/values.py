"""Attribute values that are no plain number, text or tuple of such. Their `str` is what people are shown."""

from dataclasses import dataclass

from errorflow.graph.model import Shape


@dataclass(frozen=True, slots=True)
class TensorValue:
    """A tensor as an attribute; `values` in row order when there are few, else None."""

    dtype: str
    shape: Shape
    values: tuple[object, ...] | None = None

    def __str__(self) -> str:
        dims = "?" if self.shape is None else "×".join("?" if dim is None else str(dim) for dim in self.shape)
        text = f"tensor {self.dtype} {dims if dims else 'scalar'}"
        if self.values is None:
            return text
        return f"{text}: {', '.join(str(value) for value in self.values)}"


@dataclass(frozen=True, slots=True)
class GraphValue:
    """A graph as an attribute; it is found among the subgraphs of the node."""

    name: str
    nodes: int

    def __str__(self) -> str:
        return f"graph {self.name} of {self.nodes:,} nodes".replace("  ", " ")


@dataclass(frozen=True, slots=True)
class Reference:
    """Inside a function: the value of the attribute `name` with which the function is called."""

    name: str

    def __str__(self) -> str:
        return f"@{self.name}"


@dataclass(frozen=True, slots=True)
class TypeValue:
    """A type as an attribute."""

    dtype: str
    shape: Shape

    def __str__(self) -> str:
        if self.shape is None:
            return self.dtype
        return f"{self.dtype}[{', '.join('?' if dim is None else str(dim) for dim in self.shape)}]"


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Stands where the file is broken."""

    reason: str

    def __str__(self) -> str:
        return f"unreadable: {self.reason}"
