"""Runners of many plans: an `Engine`, or several executors."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from errorflow.base.progress import Progress
from errorflow.quant.plan import Plan
from errorflow.run.engine.table import Table


class PlanTables(Protocol):
    """Tables of what each plan does to the tensors, in the order of the plans; as `Engine.run_many`."""

    def run_many(
        self,
        plans: Sequence[Plan],
        tensors: Sequence[str],
        samples: Sequence[int],
        *,
        exactly: bool,
        text: str,
        progress: Progress,
    ) -> Iterator[Table]: ...
