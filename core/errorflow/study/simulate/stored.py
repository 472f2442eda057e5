"""Reads back what `errorflow simulate` wrote into a folder."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from errorflow.base.errors import FormatError
from errorflow.base.files import Source
from errorflow.base.values import dataclass
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
    facts = _texts(summary.get("facts"))
    trial = Trial(
        name,
        read_plan(folder / "plan.json"),
        Basis(),
        _outputs(summary.get("outputs")),
        str(summary.get("text", "")),
        facts.get("samples", ""),
        worst_sample=_whole(summary.get("worst_sample"), -1),
        count=_whole(summary.get("samples"), 0),
        method=facts.get("calibration", ""),
        made_up=facts.get("made up") == "yes",
        data=facts.get("evaluated data", ""),
    )
    return StoredRun(trial, comparison, facts.get("model", ""), facts.get("model digest", ""))


def _summary(path: Path) -> Mapping[str, Any]:
    with Source(path) as source:
        if source.size > MOST_BYTES:
            raise FormatError(f"{path} is too large for a summary.", _HINT)
        data = source.read(0, source.size)
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path} is no summary: {error}.", _HINT) from error
    if not isinstance(found, dict) or "outputs" not in found:
        raise FormatError(f"{path} is no summary of a simulation.", _HINT)
    return found


def _outputs(rows: object) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and isinstance(row.get("values"), dict):
            numbers = {str(key): _number(value) for key, value in row["values"].items()}
            found[str(row.get("tensor", ""))] = {k: value for k, value in numbers.items() if not math.isnan(value)}
    return found


def _number(value: object) -> float:
    """Infinite ones are written as texts."""
    try:
        return float(value) if isinstance(value, int | float | str) else math.nan
    except (ValueError, OverflowError):
        return math.nan


def _whole(value: object, otherwise: int) -> int:
    return value if isinstance(value, int) else otherwise


def _texts(value: object) -> dict[str, str]:
    return {str(key): str(text) for key, text in value.items()} if isinstance(value, dict) else {}
