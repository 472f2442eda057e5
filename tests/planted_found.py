"""What the commands say of a planted fault: verdict, ranking, smallest set; beside ONNX Runtime's own run."""

import csv
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import onnx

from errorflow.cli.main import main
from errorflow.explain.blame.limits import CLEAN, NEARLY_ALL
from errorflow.quant.plan import Plan
from errorflow.quant.presets import preset
from planted_faults import Planted
from planted_judging import DOMINATES, SAMPLES, Arrays, opened, relative
from planted_truth import NODE, Truth
from rerun_nets import every_tensor

# A measure of one's own: of the channels that the others drown.
OWN = """\
import numpy as np

def evaluate(run):
    error = power = 0.0
    for sample in run.samples:
        mine, golden = (each(sample)[{output!r}][:, {first}:].astype(float) for each in (run.outputs, run.reference))
        error, power = error + ((mine - golden) ** 2).sum(), power + (golden**2).sum()
    return float(np.sqrt(error / power))

higher_is_better = False

def good_enough(original, new):
    return new <= {limit!r}, new - original
"""
MEASURES = ("impact", "recovery")


@dataclass
class Found:
    """What was said, what is true, and which of the checks failed."""

    case: Planted
    # What `errorflow simulate` and `errorflow search` wrote.
    told: dict[str, Any]
    search: dict[str, Any]
    # Nodes of the parts by measure, the worst part first.
    rankings: Mapping[str, Sequence[frozenset[str]]]
    # Relative errors by ONNX Runtime: with the fault, without it, and with what the search found in float.
    error: float
    twin: float
    restored: float
    # The parts that were found, by name, each with its nodes.
    chosen: Mapping[str, frozenset[str]]
    # So many of the parts with a fault in float are enough; 0: not even all of them are.
    known: int = 0
    # The nodes with a fault.
    guilty: frozenset[str] = frozenset()
    # One part less that would have done; (): nothing of the kind was found.
    fewer: tuple[str, ...] = ()
    # The verdicts that are right.
    kinds: frozenset[str] = frozenset()
    # The first by recovery has no fault, and is rightly there.
    outdone: bool = False
    missed: list[str] = field(default_factory=list)
    # Why nothing can be said of the fault.
    unclear: str = ""

    def check(self, name: str, good: bool) -> None:
        if not good:
            self.missed.append(name)

    @property
    def limit(self) -> float:
        return limit_of(self.twin)

    @property
    def best(self) -> dict[str, Any]:
        """The smallest set that was found to be good enough, else the closest."""
        found: dict[str, Any] = self.search["tried"][self.search["best"]]
        return found


def limit_of(twin: float) -> float:
    """Up to here an output is as it would be without the fault."""
    return max(CLEAN, 2 * twin)


@dataclass(frozen=True)
class Commands:
    """A case in a folder, and commands on it."""

    case: Planted
    preset: str
    folder: Path

    @property
    def plan(self) -> Plan:
        return preset(self.preset).plan

    @cached_property
    def truth(self) -> Truth:
        return Truth(opened(self.case.model, self.case, self.preset, self.folder, "model"), self.case, self.plan)

    def without_the_fault(self) -> float:
        """The error of the output where nothing was planted; with the fault in float if the net itself has it."""
        if not self.truth.is_of_weights and self.case.kind != "good":
            return self.truth.error(self.truth.raised(self.truth.faults))
        before = opened(self.case.base.model, self.case, self.preset, self.folder, "twin")
        with before.bench:
            return before.error(self.plan, self.truth.output, self.case.hidden)

    def run(self, command: str, *more: str) -> Path:
        """The folder with what it wrote."""
        out = self.folder / command
        given = [command, str(self.folder / "model.onnx"), "--data", str(self.folder / SAMPLES)]
        # The same everywhere, also where who measures by samples would have more of them.
        given += ["--calibrate-on", str(self.truth.trial.bench.evaluated.first)]
        assert main([*given, "--preset", self.preset, "--out", str(out), *more]) == 0
        return out

    def goal(self, limit: float) -> tuple[str, ...]:
        """The user's own measure where the others' channels are louder than those that are harmed."""
        if not self.case.hidden:
            return ("--target", f"relative_l2<={limit!r}", "--output", self.truth.output)
        return self.own(limit)

    def own(self, limit: float) -> tuple[str, ...]:
        file = self.folder / "own.py"
        text = OWN.format(output=self.truth.output, first=self.case.hidden, limit=limit)
        file.write_text(text, encoding="utf-8")
        return ("--evaluator", str(file))

    def error(self, exported: Path) -> float:
        """Of a quantized model that a command wrote, as ONNX Runtime runs it."""
        proto, trial = onnx.load(exported), self.truth.trial
        runs: Arrays = [every_tensor(proto, one) for one in trial.samples]
        return relative(runs, trial.golden, self.truth.output, self.case.hidden)


def found(case: Planted, key: str, folder: Path) -> Found:
    """`key` of the preset; `folder` is for files."""
    commands = Commands(case, key, folder)
    with commands.truth.trial.bench:
        result = _told(commands, commands.without_the_fault())
        _look_for_the_truth(commands.truth, result)
    _check(result)
    return result


def _told(commands: Commands, twin: float) -> Found:
    case = commands.case
    simulated = commands.run("simulate", "--export")
    how = commands.own(limit_of(twin)) if case.hidden else ("--output", case.output) if case.output else ()
    ranked = _lines(commands.run("sensitivity", "--measure", ",".join(MEASURES), *how))
    searched = commands.run("search", *commands.goal(limit_of(twin)), "--export")
    search = _json(searched / "history.json")
    parts = {line["part"]: _nodes(line) for line in ranked}
    ranks = ("own_impact_rank", "own_recovery_rank") if case.hidden else ("rank", "recovery_rank")
    return Found(
        case,
        _json(simulated / "summary.json"),
        search,
        {measure: _in_order(ranked, rank) for measure, rank in zip(MEASURES, ranks, strict=True)},
        commands.error(simulated / "model_qdq.onnx"),
        twin,
        commands.error(searched / "model_qdq.onnx"),
        {name: parts.get(name, frozenset({name})) for name in search["tried"][search["best"]]["raised"]},
    )


def _json(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _lines(folder: Path) -> list[dict[str, str]]:
    with (folder / "ranking.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _nodes(line: dict[str, str]) -> frozenset[str]:
    return frozenset(line["nodes"].split(";")) | {line["part"]}


def _in_order(lines: Sequence[dict[str, str]], rank: str) -> list[frozenset[str]]:
    return [_nodes(line) for line in sorted(lines, key=lambda line: int(line[rank]))]


def _look_for_the_truth(truth: Truth, result: Found) -> None:
    result.guilty = truth.guilty
    if result.error <= result.limit:
        return
    result.known = truth.enough(result.limit)
    result.kinds = truth.kinds(result.error)
    result.fewer = truth.fewer(tuple(result.chosen), result.limit)
    first = result.rankings["recovery"][0]
    result.outdone = not first & truth.guilty and truth.helps_most(first)
    # Whoever drifts need not do so evenly: where two in float take nearly all of it away, it is theirs.
    if len(result.chosen) <= 2 and result.restored**2 <= (1 - NEARLY_ALL) * result.error**2:
        result.kinds |= {NODE}


def _check(result: Found) -> None:
    value = result.best["value"]
    if math.isfinite(value):
        result.check("measured", math.isclose(value, result.restored, rel_tol=1e-3, abs_tol=1e-6))
    if result.error <= result.limit:
        _nothing_to_find(result)
    elif math.isfinite(result.error) and result.error**2 < DOMINATES * result.twin**2:
        result.unclear = f"{result.error:.3f} beside {result.twin:.3f} without it"
    else:
        _verdict_and_ranking(result)
        _smallest_set(result)


def _nothing_to_find(result: Found) -> None:
    result.unclear = "" if result.case.kind == "good" else "harmless"
    result.check("nothing to find", result.search["met"] and not result.best["raised"])
    if result.error <= CLEAN:
        result.check("verdict", result.told["verdict"] == "good")


def _verdict_and_ranking(result: Found) -> None:
    case, told = result.case, result.told
    is_told = not case.broken or [each["tensor"] for each in told["broken"]][:1] == [case.broken]
    result.check("verdict", told["verdict"] in result.kinds and is_told)
    for measure, ranked in result.rankings.items():
        is_right = bool(ranked and ranked[0] & result.guilty) or (measure == "recovery" and result.outdone)
        result.check(measure, is_right)


def _smallest_set(result: Found) -> None:
    known = result.known
    result.check("met", result.search["met"] or not known)
    result.check("smallest", not result.fewer and (not known or len(result.chosen) <= known))
    if known:
        result.check("restored", result.restored <= result.limit * (1 + 1e-6))
        result.check("innocent", all(part & result.guilty for part in result.chosen.values()))
