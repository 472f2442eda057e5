"""What a verdict claims beside what is gained when its advice is followed: a line per case, and what all of them say.

    PYTHONPATH=tests:resources python benchmarks/promise.py [--seeds 1] [--family "loud weights"] [--preset amct]
                                                            [--limit 0.15]

`claimed` is the share of the node that is named first; where the verdict says that nodes interact, that of the set that
it names. `gained` is the part of the error's power at the same output that is gone in ONNX Runtime's own run of the
exported model, on all samples, with these in float. The end is 1 if a gap is larger than --limit.
"""

import argparse
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from errorflow.quant.presets import preset
from errorflow.study.simulate.running import simulate
from planted_faults import FAMILIES, Family, planted
from planted_judging import opened

PER_TENSOR = "onnxruntime"


@dataclass(frozen=True, slots=True)
class Promise:
    where: str
    node: str
    claimed: float
    gained: float
    text: str

    @property
    def gap(self) -> float:
        return abs(self.claimed - self.gained)


def promise(family: Family, net: str, seed: int, key: str, folder: Path) -> Promise | None:
    """None: the output is good, or no node is named."""
    case = planted(family, net, seed, key != PER_TENSOR)
    trial = opened(case.model, case, key, folder, "model")
    plan = preset(key).plan
    with trial.bench:
        blame = simulate(trial.bench.engine, plan).findings.blame
        assert blame is not None
        model = blame.model
        if not model.top or model.output < 0:
            return None
        graph, output = blame.graph, blame.graph.tensor_names[model.output]
        if output not in trial.bench.engine.outputs:
            return None
        remedy = model.remedy if model.remedy is not None and model.remedy.interact else None
        first = model.top[0]
        nodes = (first.node,) if remedy is None else (*remedy.nodes, *remedy.others)
        names = [graph.title(node) for node in nodes]
        first_channel = case.hidden if blame.in_part else 0
        before, after = (trial.error(each, output, first_channel) for each in (plan, plan.keeping_float(*names)))
        claimed = first.share if remedy is None else remedy.gain
        where, named = f"{family.key}, {net} {seed}, {key}", ", ".join(names)
        return Promise(where, named, claimed, 1 - (after / before) ** 2, model.text)


def promises(families: Sequence[Family], presets: Sequence[str], seeds: int) -> Iterator[Promise]:
    for family in families:
        for key in (each for each in family.presets if not presets or each in presets):
            for net in family.nets:
                for seed in range(seeds):
                    with TemporaryDirectory() as folder:
                        found = promise(family, net, seed, key, Path(folder))
                    if found is not None:
                        yield found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--family", action="append", default=[])
    parser.add_argument("--preset", action="append", default=[])
    parser.add_argument("--limit", type=float, default=0.15)
    options = parser.parse_args()
    families = [each for each in FAMILIES if not options.family or each.key in options.family]
    gaps = []
    print("| case | named | claimed | gained |\n| --- | --- | --- | --- |")
    for each in promises(families, options.preset, options.seeds):
        gaps.append(each.gap)
        print(f"| {each.where} | {each.node} | {each.claimed:.2f} | {each.gained:.2f} |", flush=True)
        if each.gap > options.limit:
            print(each.text, flush=True)
    far = sum(gap > options.limit for gap in gaps)
    print(f"{len(gaps)} cases: median gap {statistics.median(gaps):.3f}, largest {max(gaps):.3f}, {far} beyond")
    sys.exit(far > 0)


if __name__ == "__main__":
    main()
