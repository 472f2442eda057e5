"""Two runs of one small model, and what became of it between them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from errorflow.case.regression.carried import carried
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.file import write_session
from errorflow.case.session.model import Session
from errorflow.compare.metrics.sums import Side
from errorflow.compare.model import Comparison, Row
from errorflow.explain.findings.model import Findings
from errorflow.graph.build import GraphBuilder
from errorflow.graph.dump import TensorInfo
from errorflow.graph.model import Graph

INFO = TensorInfo("t", "float32", (1,), 4)
FINE = Side(0, 0, -1.0, 1.0)


def chain(*names: str, prefix: str = "/") -> Graph:
    """Each node makes a tensor of its own name."""
    builder = GraphBuilder()
    builder.input("x")
    for number, (name, before) in enumerate(zip(names, ("x", *names), strict=False)):
        builder.node(("Conv", "Relu")[number % 2], [before], [name], name=f"{prefix}{name}")
    builder.output(names[-1])
    return builder.build()


def run(graph: Graph, cosines: Mapping[str, float], broken: Sequence[str] = ()) -> Findings:
    """`broken`: tensors with a NaN; a tensor without a number could not be measured."""
    rows = [
        Row(name, INFO, INFO, {"cosine": value}, "", FINE, Side(1, 0, -1.0, 1.0) if name in broken else FINE)
        for name, value in cosines.items()
    ]
    return Findings.of(graph, Comparison(tuple(rows)))


def beside(now: Findings, before: Findings) -> Findings:
    return now.beside("today", carried(before, now.graph).beside("yesterday", None))


def write_case(folder: Path, name: str, errors: Mapping[str, float]) -> Path:
    """A session that compares two folders of arrays: each tensor with noise of such a size."""
    rng = np.random.default_rng(5)
    files = {}
    for side in ("reference", "candidate"):
        files[side] = folder / f"{name}_{side}"
        files[side].mkdir(parents=True)
    for tensor, error in errors.items():
        values = rng.normal(size=64).astype(np.float32)
        np.save(files["reference"] / f"{tensor}.npy", values)
        np.save(files["candidate"] / f"{tensor}.npy", values + error * rng.normal(size=64).astype(np.float32))
    path = folder / f"{name}.errorflow"
    write_session(Session(setup=Setup("runs", files)), path)
    return path
