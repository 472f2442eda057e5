"""Cases of a made-up NPU with a fault in them, and the whole way from their folder to a verdict."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from errorflow.case.measuring import measure, original_of
from errorflow.case.model import Case as FoundCase
from errorflow.case.preparing import prepare
from errorflow.case.scenarios.discover import discover
from errorflow.case.scenarios.propose import only_complete, propose
from errorflow.case.session.model import Session
from errorflow.explain.blame.model import Blame
from errorflow.formats import read_model
from errorflow.graph.unit import unit
from planted_nets import planted_net
from tools.npu_case.case import Case, Wish, write_case
from tools.npu_case.compiled import NO_TASK
from tools.npu_case.faults import Fault, faults_of
from tools.npu_case.fusing import HEADS
from tools.npu_case.source import Source, name_of, source_of

# Up to this relative error of its outputs a model is good.
LIMIT = 0.05


@dataclass(frozen=True, slots=True)
class Told:
    """What Errorflow says about a case: the kind of error, and the operators that it names, the first one first."""

    kind: str
    named: tuple[str, ...]
    blame: Blame

    @property
    def first(self) -> str:
        return self.named[0] if self.named else ""

    @property
    def layer(self) -> str:
        """The layer of the first one, as the toolchain calls it."""
        top = self.blame.model.top
        return unit(self.blame.graph, top[0].node) if top else ""


def source_for(net: str, seed: int) -> Source:
    planted = planted_net(net, seed)
    return source_of(planted.model, planted.inputs)


def fault_in(source: Source, kind: str, seed: int, amount: float = 0.0) -> Fault:
    """A fault in one of the nodes that can have it, by lot; of weights, in a layer."""
    nodes = [node for node in source.nodes if node.op_type not in NO_TASK and kind in faults_of(source, node)]
    if kind == "weights":
        nodes = [node for node in nodes if node.op_type in HEADS]
    dice = np.random.default_rng(seed + 1000)
    return Fault(name_of(nodes[int(dice.integers(len(nodes)))]), kind, amount)


def judged(case: Case) -> Told:
    """From the folder alone: what is in it, what it is compared with, what is wrong."""
    proposal = only_complete(propose(discover(case.folder)))
    assert proposal is not None
    setup = proposal.setup
    prepared = prepare(setup)
    shown = setup.shown
    assert shown is not None
    model = read_model(shown)
    found = FoundCase(Session(), model)
    blame = measure(found, prepared.match, original_of(setup, model)).blame
    assert blame is not None
    names = blame.graph.node_names
    return Told(blame.model.kind, tuple(names[each.node] for each in blame.model.top), blame)


def right(folder: Path, source: Source, wish: Wish) -> bool | None:
    """Whether the operator that holds the only fault is named, as the only kind of error; None: it does no harm."""
    (fault,) = wish.faults
    case = write_case(source, folder, wish)
    told = judged(case)
    if case.error <= LIMIT:
        assert told.kind == "good"
        return None
    return told.kind == "node error" and told.first == case.holder[fault.node]


def with_fault(wish: Wish, fault: Fault) -> Wish:
    return replace(wish, faults=(fault,))
