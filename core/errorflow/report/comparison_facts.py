"""Facts of a comparison, in the lines of `inspect`."""

import math
from collections import Counter
from pathlib import Path

from errorflow.compare.metrics.measure import MEASURES
from errorflow.compare.metrics.states import State
from errorflow.compare.model import Comparison, Row
from errorflow.compare.states import states_of
from errorflow.graph.describe import Fact
from errorflow.report.paint import PAINTED

KIND = "Errorflow's table of tensors"
WORST = 5


def comparison_facts(path: Path, comparison: Comparison) -> tuple[Fact, ...]:
    """Lists how much was measured, by what, the worst, and why the rest was not."""
    rows = comparison.rows
    measured = [row for row in rows if row.values]
    keys = {key for row in measured for key in row.values}
    states = Counter(state for row in measured for state in states_of(row))
    why = Counter(row.note.partition(":")[0] for row in rows if not row.values)
    return (
        Fact("File", "Name", path.name),
        Fact("Comparison", "Kind", KIND),
        Fact("Comparison", "Rows", f"{len(rows):,}, {len(measured):,} of them measured"),
        *(Fact("Metrics", measure.label, measure.formula) for measure in MEASURES if measure.key in keys),
        *(Fact("States", state.words, f"{count:,}") for state, count in sorted(states.items())),
        *(Fact(f"Worst by {PAINTED.label.lower()}", row.tensor, _value(row)) for row in worst(measured)),
        *(
            Fact("Not measured", note if note else "without a reason", f"{count:,}")
            for note, count in why.most_common(WORST)
        ),
    )


def comparison_summary(path: Path, comparison: Comparison) -> dict[str, object]:
    """The same for programs."""
    measured = [row for row in comparison.rows if row.values]
    return {
        "file": str(path),
        "kind": KIND,
        "rows": len(comparison.rows),
        "measured": len(measured),
        "metrics": [measure.key for measure in MEASURES if any(measure.key in row.values for row in measured)],
        "states": {
            State(state).words: count for state, count in Counter(s for r in measured for s in states_of(r)).items()
        },
        "worst": [{"tensor": row.tensor, PAINTED.key: _value(row)} for row in worst(measured)],
    }


def worst(measured: list[Row]) -> list[Row]:
    """Sorts rows; what is no number is worst of all."""
    values = {id(row): row.value(PAINTED.key) for row in measured}
    ranks = {key: math.inf if math.isnan(value) else value for key, value in values.items()}
    return sorted(measured, key=lambda row: -ranks[id(row)])[:WORST]


def _value(row: Row) -> str:
    return PAINTED.text(row.value(PAINTED.key))
