"""Results of the run as deployed, in few words."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from errorflow.base.values import dataclass
from errorflow.compare.metrics import METRICS

if TYPE_CHECKING:
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.deployed import Deployed, DeployedOutput
    from errorflow.study.simulate.outcome import Outcome

SQNR = next(metric for metric in METRICS if metric.key == "sqnr")
# Outputs that are told.
MOST = 8
SAME, OTHER_SHAPE = "bit for bit the same", "has another shape"


@dataclass(frozen=True, slots=True)
class OutputDeployed:
    """One output over all samples, deployed and simulated against float; "": not known."""

    name: str
    deployed: str
    simulated: str
    # Against the simulation.
    apart: str
    # Where the two are furthest apart; -1: nowhere.
    sample: int = -1
    sample_name: str = ""
    others: str = ""


@dataclass(frozen=True, slots=True)
class ToldDeployed:
    outputs: tuple[OutputDeployed, ...]
    more: int
    warning: str
    runtime: str

    @classmethod
    def of(cls, bench: "Bench", outcome: "Outcome", found: "Deployed") -> "ToldDeployed":
        """`outcome`: that of the same plan."""
        from errorflow.report.deployed import became

        ran = found.quantized
        return cls(
            tuple(_outputs(bench, outcome, found.outputs[:MOST])),
            max(len(found.outputs) - MOST, 0),
            ran.warning,
            f"ONNX Runtime {ran.version}, optimisation {ran.level}: {became(ran)}.",
        )


def _outputs(bench: "Bench", outcome: "Outcome", found: "tuple[DeployedOutput, ...]") -> Iterator[OutputDeployed]:
    # A quick look is at one sample, and this is about all of them.
    rows = () if outcome.depth == "quick" else outcome.comparison.rows
    values = {row.tensor: row.values.get(SQNR.key) for row in rows}
    for each in found:
        numbers = _text(each.reference.pooled().get(SQNR.key)), _text(values.get(each.tensor))
        if None in each.simulated.by_sample:
            yield OutputDeployed(each.tensor, *numbers, OTHER_SHAPE)
        elif each.simulated.same:
            yield OutputDeployed(each.tensor, *numbers, SAME)
        else:
            where = each.sample, bench.evaluated.name(each.sample)
            yield OutputDeployed(each.tensor, *numbers, _apart(each), *where, f"{each.share} of its values are others")


def _apart(each: "DeployedOutput") -> str:
    if each.steps is None:
        largest = f"{each.simulated.largest:.3g}"
    else:
        steps = f"{each.steps:.3g}"
        largest = f"{steps} {'step' if steps == '1' else 'steps'} of its codes"
    return f"{SQNR.label} {_text(each.simulated.pooled().get(SQNR.key))}, up to {largest}"


def _text(value: float | None) -> str:
    return "" if value is None else SQNR.text(value)
