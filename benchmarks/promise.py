"""What a verdict claims beside what is gained when its advice is followed: a line per case, and what all of them say.

    PYTHONPATH=tests:resources python benchmarks/promise.py [--seeds 1] [--family "loud weights"] [--preset amct]
                                                            [--compared | --dumped] [--limit 0.15]

Verdicts are those of a simulation; with --compared those of the float model and the exported one on one sample, with
--dumped those of the tensors of both with the float model at hand.
`claimed` is the share of the node that is named first; where the verdict says that nodes interact, that of the set that
it names. `gained` is the part of the error's power at the same output that is gone in ONNX Runtime's own run of the
exported model with these in float. `innocent`: one that was not planted is among them. The end is 1 if a gap is larger
than --limit, or somebody innocent was named.
"""

import argparse
import contextlib
import io
import json
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import onnx

from errorflow.cli.main import main as main_of_errorflow
from errorflow.quant.plan import Plan
from errorflow.quant.presets import preset
from errorflow.report.simulation import simulated_json
from errorflow.study.simulate.running import simulate
from planted_faults import FAMILIES, Family, planted
from planted_judging import Trial, opened, relative
from rerun_nets import every_tensor

PER_TENSOR = "onnxruntime"


@dataclass(frozen=True, slots=True)
class Promise:
    where: str
    node: str
    claimed: float
    gained: float
    text: str
    innocent: bool

    @property
    def gap(self) -> float:
        return abs(self.claimed - self.gained)


def promise(family: Family, net: str, seed: int, key: str, folder: Path, door: str) -> Promise | None:
    """None: the output is good, or no node is named."""
    case = planted(family, net, seed, key != PER_TENSOR)
    trial, plan = opened(case.model, case, key, folder, "model"), preset(key).plan
    with trial.bench:
        told = compared(trial, plan, folder, door) if door else simulated(trial, plan)
        if not told["nodes"] or told["output"] not in trial.bench.engine.outputs:
            return None
        first = case.hidden if told["in_part"] else 0
        samples = slice(0, 1 if door else None)
        before, after = (
            relative(trial.by_runtime(each)[samples], trial.golden[samples], told["output"], first)
            for each in (plan, plan.keeping_float(*told["nodes"]))
        )
    guilty = frozenset().union(*case.culprits)
    # Who is named for its group stands for those that must go with it.
    strangers = len(set(told["named"]) - guilty) - len(guilty.intersection(told["nodes"]).difference(told["named"]))
    return Promise(
        f"{family.key}, {net} {seed}, {key}",
        ", ".join(told["nodes"]),
        told["claimed"],
        1 - (after / before) ** 2,
        told["text"],
        bool(guilty) and strangers > 0,
    )


def simulated(trial: Trial, plan: Plan) -> dict[str, Any]:
    found = json.loads(simulated_json(simulate(trial.bench.engine, plan), {}))
    return claimed({**found, "top": found["contributors"]})


def compared(trial: Trial, plan: Plan, folder: Path, door: str) -> dict[str, Any]:
    trial.bench.engine.export(plan, folder / "quantized.onnx")
    np.savez(folder / "inputs.npz", allow_pickle=False, **trial.samples[0])
    names = ["quantized", "model"]
    given = [str(folder / f"{name}.onnx") for name in names]
    if door == "dumped":
        for name in names:
            tensors = every_tensor(onnx.load(folder / f"{name}.onnx"), trial.samples[0])
            np.savez(folder / f"{name}.npz", allow_pickle=False, **tensors)
        given = [str(folder / f"{name}.npz") for name in names]
    more = ["--model", str(folder / "model.onnx")] if door == "dumped" else ["--inputs", str(folder / "inputs.npz")]
    with contextlib.redirect_stdout(io.StringIO()):
        main_of_errorflow(["compare", "-m", given[0], "-g", given[1], *more, "-out", str(folder)])
    return claimed(json.loads((folder / "summary.json").read_text("utf-8"))["blame"])


def claimed(found: dict[str, Any]) -> dict[str, Any]:
    """The first node with its share; where nodes interact or one needs another, the set with what it gains."""
    remedy, top = found["remedy"], found["top"][:1]
    is_set = remedy is not None and (remedy["interact"] or bool(remedy["with"]))
    nodes = [*remedy["nodes"], *remedy["with"]] if is_set else [each["node"] for each in top]
    share = remedy["gain"] if is_set else sum(each["share"] for each in top)
    named = remedy["nodes"] if is_set else nodes
    return {
        "nodes": nodes,
        "named": named,
        "claimed": share,
        **{key: found[key] for key in ("output", "in_part", "text")},
    }


def promises(families: Sequence[Family], presets: Sequence[str], seeds: int, door: str) -> Iterator[Promise]:
    for family in families:
        for key in (each for each in family.presets if not presets or each in presets):
            for net in family.nets:
                for seed in range(seeds):
                    with TemporaryDirectory() as folder:
                        found = promise(family, net, seed, key, Path(folder), door)
                    if found is not None:
                        yield found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--family", action="append", default=[])
    parser.add_argument("--preset", action="append", default=[])
    parser.add_argument("--compared", dest="door", action="store_const", const="compared", default="")
    parser.add_argument("--dumped", dest="door", action="store_const", const="dumped")
    parser.add_argument("--limit", type=float, default=0.15)
    options = parser.parse_args()
    families = [each for each in FAMILIES if not options.family or each.key in options.family]
    found = []
    print("| case | named | claimed | gained | |\n| --- | --- | --- | --- | --- |")
    for each in promises(families, options.preset, options.seeds, options.door):
        found.append(each)
        mark = "innocent" if each.innocent else "apart" if each.gap > options.limit else ""
        print(f"| {each.where} | {each.node} | {each.claimed:.2f} | {each.gained:.2f} | {mark} |", flush=True)
        if mark:
            print(each.text, flush=True)
    gaps, innocent = [each.gap for each in found], sum(each.innocent for each in found)
    far = sum(gap > options.limit for gap in gaps)
    print(
        f"{len(gaps)} cases: median gap {statistics.median(gaps):.3f}, largest {max(gaps):.3f}, {far} beyond the limit"
    )
    print(f"{innocent} with somebody innocent among those that are named")
    sys.exit(bool(far or innocent))


if __name__ == "__main__":
    main()
