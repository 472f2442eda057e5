"""What a simulation has done in the background: a bench is opened, runs a plan, and is ended."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.graph.model import Graph
from errorflow.progress import Progress
from errorflow.quant.plan import Plan
from errorflow.session.model import Simulation
from errorflow.simulate.basis import Basis
from errorflow.workers import WorkerError
from errorflow_viewer.finding import prepared
from errorflow_viewer.jobs import Give
from errorflow_viewer.precisions import precisions_of
from errorflow_viewer.trials import noted

if TYPE_CHECKING:
    from errorflow.simulate.bench import Bench
    from errorflow.simulate.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Coming:
    """What a bench is being opened for."""

    basis: Basis
    # The user asked for it; else it follows from what the session says.
    is_asked: bool
    # The plan of the session is meant, also if that is another one by then.
    keeps_plan: bool = True
    # What the step is called, and who is told when it is done.
    text: str = "Simulate"
    begun: Callable[[], None] | None = None

    def simulation(self, before: Simulation | None, bench: "Bench") -> Simulation:
        """What the session is to say once the bench is there."""
        if before is None:
            return Simulation(bench.basis, bench.plan)
        if not self.is_asked:
            return before
        keeps = self.keeps_plan and bench.suits(bench.basis, before.plan)
        return replace(before, basis=bench.basis, plan=before.plan if keeps else bench.plan)


def opened(path: Path, basis: Basis, plan: Plan | None, progress: Progress) -> "Bench":
    from errorflow.simulate.bench import Bench
    from errorflow.simulate.floated import floated

    progress.step(0, 0, f"Preparing {path.name}")
    model = floated(path, basis.reference, progress)
    try:
        bench = Bench.open(model, basis, plan, progress=progress)
        known = precisions_of(bench, bench.plan)  # lists and canvas ask for it as soon as the bench is there
        _ = known.texts, known.kept
        return bench
    except BaseException:  # a cancel too: nobody gets to close it
        model.close()
        raise


def run_on(
    bench: "Bench", plan: Plan, sample: int, graph: Graph | None, progress: Progress, give: "Give[Outcome]"
) -> "Outcome":
    """What comes of the plan, on the graph on view; `give` gets what is known so far."""
    from errorflow.case.simulating import in_parts

    first = min(sample, bench.engine.samples - 1)

    def ready(known: "Outcome") -> "Outcome":
        found = prepared(known, graph)
        if found.depth != "quick":
            noted(found, bench)
        return found

    def tell(known: "Outcome") -> None:
        give(ready(known))

    try:
        return ready(in_parts(bench, plan, tell, first, progress))
    except WorkerError:  # the engine has another process by now, which finds all of it again
        return ready(in_parts(bench, plan, tell, first, progress))


def end(bench: "Bench") -> None:
    """Waits until what was cancelled has let go of it."""
    bench.close()
    bench.floated.close()
