"""The tensors of a simulation, as two runs that are compared: whoever looks at one has the engine work it out."""

from dataclasses import dataclass, field

from numpy import generic
from numpy.typing import NDArray

from errorflow.base.progress import SILENT, Progress
from errorflow.base.workers import WorkerError
from errorflow.compare.match.model import Match, Pair
from errorflow.compare.model import Comparison
from errorflow.graph.dump import TensorInfo
from errorflow.graph.qparams import QParams
from errorflow.quant.assign import Assigned
from errorflow.quant.plan import Plan
from errorflow.run.engine.engine import Engine
from errorflow.study.simulate.coded import qparams_under
from errorflow.study.simulate.pooled import RULE
from errorflow.study.simulate.uncut import uncut


@dataclass(frozen=True, slots=True)
class Simulated:
    """A stored tensor: of the float model without a plan. Unlike files it cannot be sent to other processes."""

    info: TensorInfo
    sample: int
    plan: Plan | None
    engine: Engine = field(repr=False, compare=False)

    @property
    def path(self) -> str:
        return self.info.name

    def read(self) -> NDArray[generic]:
        return self.read_within(SILENT)

    def coded(self) -> QParams | None:
        return None if self.plan is None else qparams_under(self.engine, self.plan, self.info.name)

    def read_within(self, progress: Progress) -> NDArray[generic]:
        """While the engine is at work for others this waits for its turn, and a cancel strikes."""
        name = self.info.name
        try:
            values = self.engine.values(self.plan, [name], self.sample, progress)[name]
        except WorkerError:  # the engine has another process by now, which works it out again
            values = self.engine.values(self.plan, [name], self.sample, progress)[name]
        values.flags.writeable = False
        return values


def match_of(
    engine: Engine, plan: Plan, comparison: Comparison, sample: int, assigned: Assigned | None = None
) -> Match:
    """Pair by pair what the rows of a simulation are of, on one sample. `assigned`: if it is known already."""
    plan = uncut(engine.graph, plan, engine.assigned(plan) if assigned is None else assigned)
    pairs = (
        Pair(
            row.tensor,
            None if row.candidate is None else Simulated(row.candidate, sample, plan, engine),
            None if row.reference is None else Simulated(row.reference, sample, None, engine),
            RULE,
            row.note,
            node=row.node,
            op_type=row.op_type,
        )
        for row in comparison.rows
    )
    return Match(tuple(pairs), network_outputs=engine.outputs)
