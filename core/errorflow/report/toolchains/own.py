"""Errorflow's own plan."""

from pathlib import Path

from errorflow.base.progress import Progress
from errorflow.graph.model import Graph
from errorflow.quant.plan_file import FILE as KIND
from errorflow.quant.plan_file import plan_text, read_plan
from errorflow.quant.selecting import unheard
from errorflow.report.toolchains.model import Decision, Reading, Toolchain, WrittenFiles, no_base

FILE = "plan.json"
LABEL = "Errorflow plan"


def _write(decision: Decision, base: Path | None) -> WrittenFiles:
    no_base(base, LABEL)
    return WrittenFiles({FILE: plan_text(decision.plan)}, reaches="")


def _read(path: Path, graph: Graph, progress: Progress) -> Reading:  # noqa: ARG001 - the signature of readers
    plan = read_plan(path)
    return Reading(plan, tuple(unheard(plan, graph)))


OWN = Toolchain(
    "plan",
    LABEL,
    "all that was decided, for `errorflow simulate --plan`",
    _write,
    _read,
    lambda _, head: f'"{KIND.version_key}"' in head,
    rank=1,
)
