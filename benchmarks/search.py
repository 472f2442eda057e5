"""How many evaluations each strategy of a search takes, how small its set is, and what it costs.

    python benchmarks/search.py [--seeds 2] [--families "mixed,loud channel"]
    python benchmarks/search.py --model MODEL.onnx --data FOLDER [--evaluator FILE.py] [--target 0.2] [--by unit]

Without a model faults are planted into nets of several kinds, with weights and samples by a seed. Each is searched by
two measures: how often the first answer is that of the float model (at least 95 %), and the relative error of the
outputs (at most 0.1). A model of yours is searched by its agreement, by your evaluator, or with --target by its error.

An evaluation is one question to the evaluator: what takes minutes where it runs a test set. Plans that the engine
simulates to measure noise are counted apart. Where the error of the outputs itself is asked for, such a simulation on
all samples gives the very number of the evaluator, and is as good as an evaluation: these are the column `exact`, and
evaluations are `evaluations` + `exact` there. That a strategy needs fewer evaluations is shown by answers that are
counted, and by evaluators, where `exact` is 0; of errors it is no claim. Sets of one part or two are found by greedy
with as few as it takes: look at all searches together, beside the sizes of the sets. CPU seconds are those of all
processes.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errorflow.study.evaluate.asking import MeasureGoal

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / part) for part in ("core", "tests", "resources")]
HARMED = ("loud weights", "mixed", "loud channel", "loud norm", "drift")
HEAD = (
    "model",
    "measure",
    "strategy",
    "evaluations",
    "exact",
    "in float",
    "16 bits",
    "of",
    "met",
    "value",
    "simulated",
    "CPU s",
    "s",
)


@dataclass(frozen=True, slots=True)
class Line:
    model: str
    measure: str
    strategy: str
    evaluations: int
    exact: int
    floats: int
    wide: int
    parts: int
    met: bool
    value: float
    simulated: int
    cpu: float
    seconds: float

    @property
    def cells(self) -> list[str]:
        counts = (self.evaluations, self.exact, self.floats, self.wide, self.parts)
        yes = "yes" if self.met else "no"
        times = (f"{self.value:.4g}", f"{self.simulated}", f"{self.cpu:.1f}", f"{self.seconds:.1f}")
        return [self.model, self.measure, self.strategy, *map(str, counts), yes, *times]


def main() -> None:
    options = _options()
    lines: list[Line] = []
    print(" | ".join(HEAD))
    print(" | ".join("---" for _ in HEAD))
    for line in _on_model(options) if options.model else _on_planted(options):
        lines.append(line)
        print(" | ".join(line.cells), flush=True)
    for measure in dict.fromkeys(line.measure for line in lines):
        _summary(measure, [line for line in lines if line.measure == measure])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--families", default=",".join(HARMED))
    parser.add_argument("--model", type=Path)
    parser.add_argument("--data", default="")
    parser.add_argument("--dim", action="append", default=[])
    parser.add_argument("--calibrate-on", type=int, default=4)
    parser.add_argument("--target", type=float)
    parser.add_argument("--evaluator", type=Path)
    parser.add_argument("--preset", default="onnxruntime")
    parser.add_argument("--by", default="unit")
    parser.add_argument("--strategies", default="noise,greedy,ladder,binary")
    return parser.parse_args()


def _on_planted(options: argparse.Namespace) -> Iterator[Line]:
    from errorflow.study.evaluate.asking import MeasureGoal
    from errorflow.study.evaluate.model import AcceptRule
    from planted_faults import FAMILIES
    from search_benches import planted_bench, planted_case

    measures = (
        MeasureGoal("agreement", AcceptRule("bound", 0.95)),
        MeasureGoal("relative_l2", AcceptRule("bound", 0.1)),
    )
    wanted = [name.strip() for name in options.families.split(",")]
    for family in (row for row in FAMILIES if row.key in wanted):
        for net in family.nets:
            for seed in range(options.seeds):
                with TemporaryDirectory() as place:
                    case = planted_case(family.key, net, seed)
                    for measured in measures:
                        for key in options.strategies.split(","):
                            # Each begins with an engine that knows nothing yet.
                            with planted_bench(case, Path(place)) as bench:
                                line = _searched(bench, measured, key, options, f"{family.key}, {net} {seed}", place)
                            if line.evaluations > 1:
                                yield line


def _on_model(options: argparse.Namespace) -> Iterator[Line]:
    from errorflow.quant.presets import preset
    from errorflow.run.samples.asked import SampleSpec
    from errorflow.run.samples.sizes import parse_dims
    from errorflow.study.simulate.basis import Basis
    from errorflow.study.simulate.bench import Bench
    from errorflow.study.simulate.floated import floated

    measured = _measured(options)
    basis = Basis(SampleSpec((options.data,), parse_dims(options.dim)), None, options.calibrate_on)
    for key in options.strategies.split(","):
        plan = preset(options.preset).plan
        with floated(options.model) as model, Bench.open(model, basis, plan) as bench, TemporaryDirectory() as place:
            yield _searched(bench, measured, key, options, options.model.stem, place)


def _measured(options: argparse.Namespace) -> "MeasureGoal":
    from errorflow.study.evaluate.asking import MeasureGoal
    from errorflow.study.evaluate.model import AcceptRule

    if options.evaluator is not None:
        return MeasureGoal(file=options.evaluator)
    if options.target is not None:
        return MeasureGoal("relative_l2", AcceptRule("bound", options.target))
    return MeasureGoal("agreement", AcceptRule("bound", 0.95))


def _searched(bench, measured, key, options, name, place) -> Line:  # type: ignore[no-untyped-def]  # types are loaded late
    from errorflow.study.evaluate.asking import evaluator_of
    from errorflow.study.search.model import SearchRequest
    from errorflow.study.search.searching import search
    from errorflow.study.search.strategies import strategy

    evaluator = evaluator_of(bench, measured, Path(place))
    started, before = time.perf_counter(), _cpu()
    try:
        found = search(bench, bench.plan, evaluator, SearchRequest(key, options.by), strategy(key))
        spent = _cpu() - before
    finally:
        evaluator.close()
    best = found.best
    assert best is not None, "the plan as it is was evaluated"
    measure = measured.measure if measured.file is None else measured.file.name
    counts = (found.evaluations, found.exact, best.choice.floats, best.choice.wide, len(found.parts))
    seconds = time.perf_counter() - started
    return Line(name, measure, key, *counts, found.met, best.value, found.simulated, spent, seconds)


def _cpu() -> float:
    """Of this process and of those that it started and that live."""
    import psutil

    own = psutil.Process(os.getpid())
    every = [own, *own.children(recursive=True)]
    return sum(sum(process.cpu_times()[:4]) for process in every)


def _summary(measure: str, lines: Sequence[Line]) -> None:
    """By strategy over all that it searched by that measure, beside the others on the same."""
    print(f"\n{measure}\n")
    print("strategy | searches | met | evaluations, mean | with exact | set no larger than any other's | CPU s, mean")
    print("--- | --- | --- | --- | --- | --- | ---")
    for key in dict.fromkeys(line.strategy for line in lines):
        mine = [line for line in lines if line.strategy == key]
        small = sum(_is_smallest(line, lines) for line in mine)
        asked = (mean(line.evaluations for line in mine), mean(line.evaluations + line.exact for line in mine))
        cells = (key, len(mine), sum(line.met for line in mine), *(f"{each:.1f}" for each in asked))
        print(" | ".join(map(str, (*cells, f"{small} of {len(mine)}", f"{mean(line.cpu for line in mine):.1f}"))))


def _is_smallest(line: Line, lines: Sequence[Line]) -> bool:
    others = [each for each in lines if (each.model, each.measure) == (line.model, line.measure) and each.met]
    return line.met and all(line.floats + line.wide <= each.floats + each.wide for each in others)


if __name__ == "__main__":
    main()
