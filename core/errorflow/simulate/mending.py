"""What is gone of an output's error when one group alone is left in float.

Where the noise of single groups does not add up to what all of them do, nodes work together or outputs saturate. Then
the sum tells nothing, but one group in float that takes most of the error with it is to blame all the same.
"""

import numpy as np

from errorflow.blame.limits import MOST
from errorflow.blame.model import Floats
from errorflow.progress import SILENT, Progress
from errorflow.quant.plan import FLOAT, Plan
from errorflow.rerun.engine import Engine
from errorflow.rerun.table import Table
from errorflow.simulate.noise import Noise, Source
from errorflow.simulate.pooled import pooled_sums

# Groups that are tried, those that make most noise alone first.
TRIED = 8
_TEXT = "Leaving one group at a time in float"


def mended(
    engine: Engine, plan: Plan, noise: Noise, place: int, table: Table, progress: Progress = SILENT
) -> Floats | None:
    """By node the share of the output's error that is gone; None: no group takes most of it with it."""
    error = float(noise.measured(place, table).dd)
    order = np.argsort(-noise.shares(place), kind="stable")[:TRIED].tolist()
    sources = [noise.sources[number] for number in order]
    output = noise.outputs[place]
    plans = [_without(plan, source) for source in sources]
    tables = engine.run_many(plans, [output], noise.samples, text=_TEXT, progress=progress)
    found = np.zeros(len(engine.graph))
    for source, table_ in zip(sources, tables, strict=True):
        sums = pooled_sums(table_, output)
        if sums is not None and not sums.broken and error > 0:
            found[source.node] += max(0.0, 1 - float(sums.dd) / error)
    return found if found.max(initial=0.0) >= MOST else None


def _without(plan: Plan, source: Source) -> Plan:
    for name in source.tensors:
        plan = plan.with_tensor(name, FLOAT)
    return plan
