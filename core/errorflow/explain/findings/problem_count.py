"""Number of problems to be listed, without the list."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from errorflow.base.values import dataclass

if TYPE_CHECKING:
    from errorflow.compare.model import Comparison, Row
    from errorflow.graph.model import Problem


@dataclass(frozen=True, slots=True)
class Count:
    """Number of things to be listed."""

    problems: int = 0
    unmeasured: int = 0

    @property
    def text(self) -> str:
        """Number in words; "": nothing is to be listed."""
        tensors = "1 tensor" if self.unmeasured == 1 else f"{self.unmeasured:,} tensors"
        problems = "1 problem" if self.problems == 1 else f"{self.problems:,} problems"
        told = (problems if self.problems else "", f"{tensors} not measured" if self.unmeasured else "")
        return ", ".join(filter(None, told))


def count(in_file: int, of_runs: "Sequence[Problem]" = (), comparison: "Comparison | None" = None) -> Count:
    """Counts without making the groups; `in_file`: so many are odd in the model's file."""
    return Count(in_file + len(set(of_runs)), 0 if comparison is None else sum(map(is_unmeasured, comparison.rows)))


def is_unmeasured(row: "Row") -> bool:
    return bool(row.note) and not row.values and not row.is_pending
