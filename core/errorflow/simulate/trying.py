"""From what was found to what is kept of it."""

from errorflow.simulate.bench import Bench
from errorflow.simulate.outcome import Outcome
from errorflow.simulate.trial import Trial


def trial_of(name: str, outcome: Outcome, bench: Bench) -> Trial:
    """Of an outcome that knows all samples."""
    wanted = frozenset(bench.engine.outputs)
    outputs = {row.tensor: dict(row.values) for row in outcome.comparison.rows if row.tensor in wanted}
    blame = outcome.findings.blame
    verdict = "" if blame is None else blame.model.text
    return Trial(name, outcome.plan, bench.basis, outputs, verdict, bench.text, bench.made_up)
