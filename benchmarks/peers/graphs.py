"""The graphs that all engines lay out: real models, generated ones, and shapes that engines stumble over."""

from collections.abc import Callable, Iterator
from pathlib import Path

from generate import chain, decoder, fan, of_size, unet

from errorflow.formats import read_model
from errorflow.graph.build import GraphBuilder
from errorflow.graph.model import Graph

Nodes = tuple[tuple[str, str], ...]  # what each node reads, what it makes
CYCLE: Nodes = (("x c", "a"), ("a", "b"), ("b", "c"), ("c", "d"))
LOOP: Nodes = (("x", "a"), ("a b", "b"), ("b", "c"))
MULTIPLE: Nodes = (("x", "a b c"), ("a b c", "d e"), ("d e", "f"))
DIAMOND: Nodes = (("x", "a"), ("a", "b"), ("a", "c"), ("b c", "d"))


def _small(*parts: Nodes, inputs: bool = True, lonely: int = 0) -> Graph:
    """Parts that nothing joins, and nodes that nothing leads to or from."""
    builder = GraphBuilder()
    for number, nodes in enumerate(parts):

        def own(names: str, number: int = number) -> list[str]:
            return [f"{name}{number}" for name in names.split()]

        if inputs:
            builder.input(f"x{number}")
        for reads, makes in nodes:
            builder.node("Relu", own(reads if inputs else reads.replace("x", "")), own(makes))
    for _ in range(lonely):
        builder.node("Relu", [], [])
    return builder.build()


SHAPES: dict[str, Callable[[], Graph]] = {
    "decoder-983": lambda: decoder(16).graph(),
    "decoder-3k": lambda: of_size(3_000).graph(),
    "decoder-10k": lambda: of_size(10_000).graph(),
    "decoder-qdq-3k": lambda: of_size(3_000, qdq=True).graph(),
    "decoder-qdq-9k": lambda: of_size(8_700, qdq=True).graph(),
    "decoder-moe-3k": lambda: of_size(3_000, experts=24).graph(),
    "unet-30": lambda: unet(30).graph(),
    "fan-1000": lambda: fan(1_000).graph(),
    "chain-20000": lambda: chain(20_000).graph(),
    "cycle": lambda: _small(CYCLE),
    "self-loop": lambda: _small(LOOP),
    "multi-edge": lambda: _small(MULTIPLE),
    "isolated": lambda: _small(DIAMOND, inputs=False, lonely=40),
    "5-components": lambda: _small(DIAMOND, MULTIPLE, DIAMOND, DIAMOND[:1], DIAMOND[:2]),
}


def models() -> dict[str, Path]:
    """The models that come with the onnx package."""
    import onnx

    folder = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
    return {path.stem.removeprefix("light_"): path for path in sorted(folder.glob("*.onnx"))}


def names() -> Iterator[str]:
    yield from models()
    yield from SHAPES


def make(name: str) -> Graph:
    return SHAPES[name]() if name in SHAPES else read_model(models()[name]).graph
