"""Comparisons with a verdict, made without measuring anything."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from core.explain.findings.test_select import NODES, findings
from errorflow.base.language import LanguageText, say
from errorflow.case.model import Case
from errorflow.compare.match.model import Match
from errorflow.explain.blame.advice import advice_for
from errorflow.explain.blame.model import ESTIMATED, Contribution, Kind, ModelVerdict
from errorflow.explain.findings.model import Findings
from errorflow.graph.model import Model
from errorflow_viewer.document.document import Document
from viewer.cases import case_with

LONG = "/backbone" * 40 + "/conv"


def judged(kind: Kind, text: str, top: tuple[Contribution, ...] = (), why: str = "", exact: bool = False) -> Findings:
    """Six nodes of which the second is an origin; see `NODES`."""
    found = findings()
    assert found.blame is not None
    graph = found.graph
    text = text if isinstance(text, LanguageText) else say(text)
    model = ModelVerdict(
        kind, text, 1.0, top, advice_for({kind}), ((graph.tensor_names.index("t5"), ModelVerdict(kind, text)),)
    )
    every = np.full(len(NODES), exact) & (found.blame.verdicts > 0)
    front = np.isin(np.arange(len(NODES)), (1, 2, 3))
    return replace(found, blame=replace(found.blame, model=model, exact=every, why=why, front=front))


def node_error(why: str = "", exact: bool = False) -> Findings:
    text = say("Node error{}: {} brings {} of the error at {}.", "" if exact else say(ESTIMATED), "relu1", "98 %", "t5")
    return judged("node error", text, (Contribution(1, 0.98), Contribution(2, 0.02)), why, exact)


def compared(found: Findings, *, complete: bool = True) -> Case:
    return case_with(found.comparison, Match(()), found.blame, complete)


def show(document: Document, found: Findings) -> None:
    """Opens the model, and shows what was found."""
    document.open(Model(Path("/models/found.onnx"), "ONNX model", found.graph))
    document.take_case(compared(found))
    document.take_findings(found)
