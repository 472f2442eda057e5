"""From what was found to what is kept of it."""

from collections.abc import Mapping
from dataclasses import asdict

import numpy as np

from errorflow.metrics import METRICS
from errorflow.rerun.table import Table, spread
from errorflow.simulate.bench import Bench
from errorflow.simulate.cost import cost_of
from errorflow.simulate.outcome import Outcome
from errorflow.simulate.trial import Trial

Numbers = Mapping[str, Mapping[str, float]]


def trial_of(name: str, outcome: Outcome, bench: Bench) -> Trial:
    """Of an outcome that knows all samples."""
    wanted = frozenset(bench.engine.outputs)
    outputs = {row.tensor: dict(row.values) for row in outcome.comparison.rows if row.tensor in wanted}
    blame, table = outcome.findings.blame, outcome.table
    medians, worsts = _spread(table, [output for output in outputs if output in table.places])
    cost = cost_of(bench.engine.graph, outcome.assigned, table.tensors, table.notes)
    return Trial(
        name,
        outcome.plan,
        bench.basis,
        outputs,
        "" if blame is None else blame.model.text,
        bench.text,
        bench.made_up,
        medians,
        worsts,
        outcome.worst_sample,
        bench.evaluated.first,
        bench.evaluated.count,
        bench.calibration.method,
        data=bench.data,
        **asdict(cost),
    )


def _spread(table: Table, outputs: list[str]) -> tuple[Numbers, Numbers]:
    """By output and metric the sample in the middle, and the worst one."""
    medians: dict[str, dict[str, float]] = {output: {} for output in outputs}
    worsts: dict[str, dict[str, float]] = {output: {} for output in outputs}
    for output in outputs:
        sums = [table.sums(output, sample) for sample in range(len(table.samples))]
        for metric in METRICS:
            with np.errstate(all="ignore"):
                values = [np.nan if each is None else metric.of(each) for each in sums]
            found = spread(np.array(values, np.float64).reshape(-1, 1), metric.higher_is_better)
            medians[output][metric.key], worsts[output][metric.key] = float(found.median[0]), float(found.worst[0])
    return medians, worsts
