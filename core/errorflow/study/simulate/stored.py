"""Reads back what `errorflow simulate` wrote into a folder."""

import math
from collections.abc import Mapping
from pathlib import Path

from errorflow.base.codec import Codec, Each, OddError, parsed
from errorflow.base.errors import FormatError
from errorflow.base.files import Source
from errorflow.base.values import dataclass, field
from errorflow.compare.model import Comparison
from errorflow.compare.simulated_table import is_simulated_table, read_simulated_table
from errorflow.quant.plan_file import read_plan
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.trial import Trial

MOST_BYTES = 64 << 20
_HINT = "Name folders that `errorflow simulate --out` wrote."


@dataclass(frozen=True, eq=False)
class StoredRun:
    """One folder: what is kept of a run, its tensors, and on which samples it says it was measured."""

    trial: Trial
    comparison: Comparison
    # The name of its file and the digest of that; "": the folder does not say.
    model: str = ""
    digest: str = ""

    def is_of_model_of(self, other: "StoredRun") -> bool:
        """Whether tensors of both are those of one model: the same file, or most of them have the same names."""
        if self.digest and self.digest == other.digest:
            return True
        mine, theirs = ({row.tensor for row in run.comparison.rows} for run in (self, other))
        return 2 * len(mine & theirs) >= max(len(mine), len(theirs))


def read_run(folder: Path, name: str) -> StoredRun:
    """Raises a `FormatError` where the folder holds no simulation."""
    summary = _summary(folder / "summary.json")
    with Source(folder / "tensors.csv") as source:
        if not is_simulated_table(source):
            raise FormatError(f"{folder / 'tensors.csv'} holds no simulation.", _HINT)
        comparison = read_simulated_table(source)
    facts = summary.facts
    trial = Trial(
        name,
        read_plan(folder / "plan.json"),
        Basis(),
        _outputs(summary),
        summary.text,
        facts.get("samples", ""),
        worst_sample=summary.worst_sample,
        count=summary.samples,
        method=facts.get("calibration", ""),
        made_up=facts.get("made up") == "yes",
        data=facts.get("evaluated data", ""),
    )
    return StoredRun(trial, comparison, facts.get("model", ""), facts.get("model digest", ""))


@dataclass(frozen=True, slots=True)
class _Output:
    """Numbers at one output; those without end are written as texts."""

    tensor: str = ""
    values: Each[Mapping[str, float | str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Summary:
    """Parts of a summary that are read."""

    outputs: Each[tuple[_Output, ...]]
    text: str = ""
    facts: Each[Mapping[str, str]] = field(default_factory=dict)
    worst_sample: int = -1
    samples: int = 0


def _summary(path: Path) -> _Summary:
    with Source(path) as source:
        if source.size > MOST_BYTES:
            raise FormatError(f"{path} is too large for a summary.", _HINT)
        data = source.read(0, source.size)
    try:
        found: _Summary = Codec().read(_Summary, parsed(data), notes=[])
    except OddError as error:
        raise FormatError(f"{path} is no summary of a simulation.", _HINT) from error
    except ValueError as error:
        raise FormatError(f"{path} is no summary: {error}.", _HINT) from error
    return found


def _outputs(summary: _Summary) -> dict[str, dict[str, float]]:
    found = {each.tensor: {key: _number(value) for key, value in each.values.items()} for each in summary.outputs}
    return {name: {key: value for key, value in row.items() if not math.isnan(value)} for name, row in found.items()}


def _number(value: float | str) -> float:
    try:
        return float(value)
    except ValueError:
        return math.nan
