"""Bias correction: what quantization adds to the outputs of layers on average is taken off their biases.

It is measured on the samples that calibrate, layer after layer in the order of running, with all before it quantized
and corrected already. Only the quantized model changes.
"""

import numpy as np

from errorflow.base.progress import SILENT, Progress
from errorflow.base.values import dataclass
from errorflow.graph.build import counted
from errorflow.quant.carriers import carriers
from errorflow.quant.plan import FLOAT, Plan
from errorflow.quant.steps import CorrectBiases
from errorflow.run.engine.engine import Engine
from errorflow.study.rewrites.model import ChannelScaling
from errorflow.study.simulate.bench import Bench
from errorflow.study.simulate.fed import Feeding

TEXT = "Correcting biases"
# More samples change means by little.
SAMPLES = 16


@dataclass(frozen=True, eq=False)
class Corrected:
    """The plan with the step, what it adds to which layer, and on what it was measured."""

    plan: Plan
    changes: tuple[ChannelScaling, ...]
    text: str


def correct_biases(bench: Bench, plan: Plan, progress: Progress = SILENT) -> Corrected:
    """Anew, whatever the plan corrects by now."""
    plan = plan.without_step(CorrectBiases)
    part = bench.calibrated if bench.calibrated.count else bench.evaluated
    samples = Feeding(part)[: min(SAMPLES, part.count)]
    what = "calibrate" if bench.calibrated.count else "are evaluated"
    said = f"{counted(len(samples), 'sample', 'samples')} that {what}"
    own = bench.engine
    with Engine(bench.simulated.path, samples, bench.calibration, progress=progress, graph=own.graph) as engine:
        shifts = _shifts(engine, plan, progress)
    found = plan.with_step(CorrectBiases(tuple(sorted(shifts.items()))))
    return Corrected(found, changes_of(bench, found), f"Measured on {said}.")


def changes_of(bench: Bench, plan: Plan) -> tuple[ChannelScaling, ...]:
    """Lists what a plan adds to biases, in the order of running."""
    graph = bench.engine.graph
    shifts = {name: shift for step in plan.steps if isinstance(step, CorrectBiases) for name, shift in step.shifts}
    found = []
    for each in carriers(graph):
        shift = shifts.get(graph.tensor_names[each.made])
        if shift:
            ends = min(shift), max(shift)
            found.append(
                ChannelScaling(
                    "corrected", graph.tensor_names[each.made], (graph.title(each.node),), (), len(shift), *ends
                )
            )
    return tuple(found)


def _shifts(engine: Engine, plan: Plan, progress: Progress) -> dict[str, tuple[float, ...]]:
    graph, assigned = engine.graph, engine.assigned(plan)
    layers = [each for each in carriers(graph) if each.weight in assigned.constants]
    found: dict[str, tuple[float, ...]] = {}
    for number, each in enumerate(layers):
        progress.step(number, len(layers), TEXT)
        name = graph.tensor_names[each.made]
        if name not in engine.shapes:
            continue
        # Before it is coded: its codes may leave out what an activation cuts off behind it.
        so_far = plan.with_tensor(name, FLOAT).with_step(CorrectBiases(tuple(sorted(found.items()))))
        error = np.asarray(engine.mean_errors(so_far, name, each.axis))
        if error.any():
            found[name] = tuple((-error).astype(np.float32).tolist())
    return found
