"""What is gone of an output's error when one group alone is left in float.

Where the noise of single groups does not add up to what all of them do, nodes work together or outputs saturate. Then
the sum tells nothing, but one group in float that takes most of the error with it is to blame all the same. If it
takes nearly all, no other one is to blame, though others may heal as well: where a loud value meets a coarse weight,
either in float does. They share what the first one leaves.
"""

import numpy as np

from errorflow.base.progress import SILENT, Progress
from errorflow.explain.blame.limits import FEW, MOST, NEARLY_ALL
from errorflow.explain.blame.model import Floats
from errorflow.quant.plan import FLOAT, Plan
from errorflow.run.engine.engine import Engine
from errorflow.run.engine.table import Table
from errorflow.study.simulate.noise import Noise, Source
from errorflow.study.simulate.pooled import pooled_sums

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
    most = float(found.max(initial=0.0))
    if most < MOST:
        return None
    return found if most < NEARLY_ALL else _counted_once(found)


def confirmed(engine: Engine, plan: Plan, noise: Noise, place: int, table: Table, progress: Progress = SILENT) -> bool:
    """Whether the few groups that seem to bring nearly all of an error take most of it with them when in float.

    True also where they are not few: no verdict names them alone.
    """
    shares = noise.shares(place)
    order = np.argsort(-shares, kind="stable")
    few = order[: int(np.searchsorted(shares[order].cumsum(), NEARLY_ALL)) + 1].tolist()
    error = float(noise.measured(place, table).dd)
    if len(few) > FEW or not error > 0:
        return True
    for number in few:
        plan = _without(plan, noise.sources[number])
    (left,) = engine.run_many([plan], [noise.outputs[place]], noise.samples, text=_TEXT, progress=progress)
    sums = pooled_sums(left, noise.outputs[place])
    return sums is None or bool(sums.broken) or float(sums.dd) <= (1 - MOST) * error


def _counted_once(found: Floats) -> Floats:
    first = int(found.argmax())
    most, others = float(found[first]), float(found.sum() - found[first])
    shared = found * min(1.0, (1 - most) / others) if others else found.copy()
    shared[first] = most
    return shared


def _without(plan: Plan, source: Source) -> Plan:
    for name in source.tensors:
        plan = plan.with_tensor(name, FLOAT)
    return plan
