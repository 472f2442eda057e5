"""What a simulation says of a planted fault, beside what ONNX Runtime itself makes of the quantized model."""

import csv
import io
import json
import math
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

from errorflow.explain.blame.limits import CLEAN
from errorflow.quant.plan import Plan
from errorflow.quant.presets import preset
from errorflow.report.simulation import simulated_json, simulated_nodes_csv
from errorflow.run.samples.asked import SampleSpec
from errorflow.study.simulate.basis import Basis
from errorflow.study.simulate.bench import Bench
from errorflow.study.simulate.floated import floated
from errorflow.study.simulate.outcome import Outcome
from errorflow.study.simulate.running import simulate
from make_sample.model import float_model
from planted_faults import Planted
from rerun_nets import every_tensor

Arrays = list[dict[str, NDArray[Any]]]
SAMPLES = "samples.npz"
# In decibels.
NEAR = 2.0
# Of an error's power, by which what is gone may miss what was claimed.
SLACK = 0.05
# A fault must bring so much more than the net without it, in power, to be the one to blame.
DOMINATES = 10.0
# Harms that differ by less than this are as good as the same.
CLEARLY = 1.25
# Of the errors with the faults of several planted ones that are looked for, over that of the net without them.
HEAVY = 3.0


@dataclass
class Judged:
    """What was told, what is true, and which of the checks failed."""

    case: Planted
    told: dict[str, Any]
    # Verdicts by node, with the fault and without it.
    words: dict[str, str]
    calm: dict[str, str]
    # Relative errors of the output by ONNX Runtime: with the fault and without; with those that are named in float, and
    # with another node of the culprit's type in float.
    error: float
    twin: float
    restored: float = math.nan
    other: float = math.nan
    # What each of several faults does alone.
    harms: list[float] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    # Why nothing can be said of the verdict: the fault does no harm, or the net without it does as much.
    unclear: str = ""

    def check(self, name: str, good: bool) -> None:
        if not good and name not in self.missed:
            self.missed.append(name)

    @property
    def named(self) -> list[str]:
        """Nodes by what they bring."""
        return [each["node"] for each in self.told["contributors"]]

    @property
    def limit(self) -> float:
        """Up to here an output is as it would be without the fault."""
        return max(CLEAN, 2 * self.twin)


@dataclass
class Trial:
    """A model on a bench, and ONNX Runtime's own run of what the bench makes of a plan."""

    bench: Bench
    model: onnx.ModelProto
    folder: Path

    def __post_init__(self) -> None:
        part = self.bench.evaluated
        self.samples: list[dict[str, NDArray[Any]]] = [dict(part.read(number)) for number in range(part.count)]
        self.golden = [every_tensor(self.model, one) for one in self.samples]

    def by_runtime(self, plan: Plan) -> Arrays:
        target = self.folder / "qdq.onnx"
        self.bench.engine.export(plan, target)
        proto = onnx.load(target)
        names = [output.name for output in proto.graph.output]
        return [{name: run[name] for name in names} for run in (every_tensor(proto, one) for one in self.samples)]

    def error(self, plan: Plan, output: str, first: int = 0) -> float:
        return relative(self.by_runtime(plan), self.golden, output, first)


def relative(runs: Arrays, golden: Arrays, name: str, first: int = 0) -> float:
    """Of the channels from that one on."""
    pairs = [(a[name].astype(float)[:, first:], b[name][:, first:]) for a, b in zip(runs, golden, strict=True)]
    error = sum(float(((a - b) ** 2).sum()) for a, b in pairs)
    return math.sqrt(error / sum(float((b.astype(float) ** 2).sum()) for _, b in pairs))


def saved(model: onnx.ModelProto, case: Planted, folder: Path, name: str) -> Path:
    """The model; its samples lie beside it."""
    path = folder / f"{name}.onnx"
    onnx.save(model, path)
    samples = {case.base.net.input: case.base.samples[:, np.newaxis]}
    np.savez(folder / SAMPLES, allow_pickle=False, **samples)
    return path


def opened(model: onnx.ModelProto, case: Planted, key: str, folder: Path, name: str) -> Trial:
    with floated(saved(model, case, folder, name)) as found:
        bench = Bench.open(found, Basis(SampleSpec((str(folder / SAMPLES),))), preset(key).plan)
    return Trial(bench, model, folder)


def judged(case: Planted, key: str, folder: Path) -> Judged:
    """`key` of the preset; `folder` is for files."""
    plan = preset(key).plan
    output = case.output if case.output else next(iter(case.base.net.outputs))
    twin = opened(case.base.model, case, key, folder, "twin")
    with twin.bench:
        before = twin.error(plan, output)
        calm = _words(simulate(twin.bench.engine, plan, noise_samples=0))
    harms = [_harm(case, weights, key, folder, output) for weights in case.alone]
    trial = opened(case.model, case, key, folder, "model")
    with trial.bench:
        runs = trial.by_runtime(plan)
        outcome = simulate(trial.bench.engine, plan)
        told = json.loads(simulated_json(outcome, {}))
        error = relative(runs, trial.golden, output)
        found = Judged(case, told, _words(outcome), calm, error, before, harms=harms)
        _numbers(found, outcome, runs, trial.golden, output)
        _verdict(found)
        if case.culprits and not found.unclear:
            _restoring(found, trial, plan, output)
    return found


def _harm(case: Planted, weights: Any, key: str, folder: Path, output: str) -> float:
    trial = opened(float_model(case.base.net, weights), case, key, folder, "alone")
    with trial.bench:
        return trial.error(preset(key).plan, output)


def _lines(outcome: Outcome) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(simulated_nodes_csv(outcome))))


def _words(outcome: Outcome) -> dict[str, str]:
    return {line["node"]: line["verdict"] for line in _lines(outcome)}


def _numbers(found: Judged, outcome: Outcome, runs: Arrays, golden: Arrays, output: str) -> None:
    """What is measured is what ONNX Runtime's run shows."""
    told = {each["tensor"]: each for each in found.told["outputs"]}
    if math.isfinite(found.error):
        mine = told[output]["values"]["relative_l2"]
        found.check("measured error", math.isclose(mine, found.error, rel_tol=1e-4, abs_tol=1e-9))
        pairs = list(zip(runs, golden, strict=True))
        worst = [max(relative([a], [b], name) for name in told) for a, b in pairs]
        found.check("worst sample", found.told["worst_sample"] == int(np.argmax(worst)))
    for line in _lines(outcome):
        if line["introduced_share"]:
            total = float(line["introduced_share"]) + float(line["inherited_share"])
            parts = float(line["introduced"]) + float(line["inherited"])
            found.check("shares", math.isclose(total, 1, abs_tol=1e-4))
            found.check("parts", not math.isfinite(parts) or float(line["accumulated"]) <= parts * (1 + 1e-4))


def _verdict(found: Judged) -> None:
    case, kind = found.case, found.told["verdict"]
    if case.broken:
        _broken(found)
    elif not case.culprits:
        _of_all(found)
    elif not case.hidden and found.error <= CLEAN:
        found.unclear = "harmless"
        found.check("verdict", kind == "good")
    elif not case.hidden and found.error**2 < DOMINATES * found.twin**2:
        found.unclear = f"{found.error:.3f} beside {found.twin:.3f} without it"
    else:
        found.check("verdict", not case.kind or kind == case.kind)
        if len(case.culprits) > 1:
            _several(found)
        else:
            _single(found)


def _broken(found: Judged) -> None:
    found.unclear = "the first that breaks is told"
    first = next(iter(found.told["broken"]), {"tensor": "", "side": ""})
    found.check("broken", (first["tensor"], first["side"]) == (found.case.broken, "candidate"))
    found.check("advice", any(each["key"] == "overflow" for each in found.told["advice"]))


def _of_all(found: Judged) -> None:
    """No node alone is to blame."""
    kind = found.told["verdict"]
    if found.error <= CLEAN:
        found.check("verdict", kind == "good")
        found.check("no origin", "origin" not in found.words.values())
        found.unclear = "" if found.case.kind == "good" else "harmless"
    elif found.case.kind == "good":
        found.unclear = f"the unharmed net is at {found.error:.3f}"
        found.check("verdict", kind != "good")
    else:
        found.check("verdict", kind == found.case.kind)


def _single(found: Judged) -> None:
    case, culprit = found.case, found.case.culprits[0]
    first = next(iter(found.told["contributors"]), {"node": "", "tensors": []})
    found.check("first", first["node"] in culprit)
    found.check("text", any(name in found.told["text"] for name in culprit))
    found.check("tensor", not case.tensor or case.tensor in first["tensors"] or first["node"] not in case.nodes[:1])
    found.check("origin", any(found.words[name] == "origin" for name in culprit))
    behind = _behind(case, culprit)
    for name, word in found.words.items():
        if name not in culprit and word != found.calm[name]:
            found.check("before", name in behind)
            found.check("behind", name not in behind or word != "origin")
    predicted, measured = found.told["predicted_sqnr_db"], found.told["measured_sqnr_db"]
    # Probabilities saturate.
    if case.base.net.steps[-1].op != "Softmax":
        found.check("predicted", abs(float(predicted) - float(measured)) <= NEAR)


def _several(found: Judged) -> None:
    """They are named in the order of what each does alone, as far as that is clear; nobody else is first."""
    groups = found.case.culprits
    harm = {name: found.harms[place] for place, group in enumerate(groups) for name in group}
    first = found.named[0] if found.named else ""
    found.check("first", harm.get(first, 0.0) * CLEARLY >= max(harm.values()))
    named = [harm[name] for name in found.named if name in harm]
    found.check("order", all(later <= CLEARLY * earlier for earlier, later in pairwise(named)))
    heavy = [group for group, alone in zip(groups, found.harms, strict=True) if alone > HEAVY * found.twin]
    found.check("all", all(group.intersection(found.named[: len(groups)]) for group in heavy))


def _behind(case: Planted, culprit: frozenset[str]) -> frozenset[str]:
    tensors = {step.output for step in case.base.net.steps if step.name in culprit}
    found = set()
    for step in case.base.net.steps:
        if tensors.intersection(step.inputs):
            tensors.add(step.output)
            found.add(step.name)
    return frozenset(found)


def _restoring(found: Judged, trial: Trial, plan: Plan, output: str) -> None:
    """Those that are named, in float, take what they are said to bring; another one does not."""
    case = found.case
    before = trial.error(plan, output, case.hidden)
    kept, claimed = _kept(found)
    found.restored = trial.error(plan.keeping_float(*kept), output, case.hidden)
    as_told = (found.restored / before) ** 2 <= 1 - claimed + SLACK
    found.check("restored", found.restored <= found.limit or as_told)
    others = _others(case)
    if others and len(case.culprits) == 1:
        found.other = trial.error(plan.keeping_float(others[0]), output, case.hidden)
        found.check("other", found.other > found.limit)


def _kept(found: Judged) -> tuple[list[str], float]:
    """What the verdict says to keep in float, and what that gains."""
    remedy = found.told["remedy"]
    if remedy is None:
        first = found.told["contributors"][:1]
        return [each["node"] for each in first], sum(each["share"] for each in first)
    return [*remedy["nodes"], *remedy["with"]], remedy["gain"]


def _others(case: Planted) -> list[str]:
    """Steps of the culprit's type that touch none of its tensors."""
    everyone = frozenset().union(*case.culprits)
    guilty = [step for step in case.base.net.steps if step.name in everyone]
    touched = {tensor for step in guilty for tensor in (*step.inputs, step.output)}
    return [
        step.name
        for step in case.base.net.steps
        if step.op == guilty[0].op and not touched.intersection((*step.inputs, step.output))
    ]
