"""How long it takes to see what a changed plan does to a model: by the engine, and by ONNX Runtime's own tools.

    python benchmarks/rerun.py [MODEL.onnx [--shape 1x3x320x320]] [--images 4] [--toggles 12] [--segments N]
                                [--memory MB] [--peers FOLDER] [--data FOLDER]

Without a model a generated detector is taken. Both get the same images and ranges, and one thread. The work:

table        errors of every tensor over all images, by five metrics
toggle 25 %  one node more in float, a quarter down the model: the errors of every tensor on one image; and so on
toggle back  the plan before that once more
one alone    only one node in codes, the errors of the outputs on one image: what a ranking asks of each node

ONNX Runtime's way is its `QDQQuantizer` with ranges that are there already (it would calibrate each time else), a
session with all tensors as outputs, a run, and its float run kept; `one alone` has the outputs only. CPU seconds count,
of all processes; memory is the highest of the process that runs models, above one that has only loaded ONNX Runtime.

With --peers AIMET, PPQ, ESP-PPQ and NNCF run too, and ONNX Runtime's own tools, each with an environment in that folder
(rerun_peers/environments.py makes them), one core, and the same arrays: those of --data (0.npy, 1.npy …), or made up.
The work is then: each unit that a side ranks quantized alone, the table, calibration with 32 images by min-max and by
histograms, and all that comes before a first ranking with one image. Ours ranks the units of every other side, with
ranges of its own, and with those of AIMET once more, which widens narrow ones; it is told how far the rankings agree.
Where tools differ otherwise (ESP-PPQ codes activations without a zero point), so do rankings.
"""

import argparse
import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray
from rerun_peers.ort_tools import QUIET, Inputs, metrics, name_nodes, prepared, quantized, run, session
from rerun_peers.sides import compare
from rerun_peers.work import Work

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "core")]

DEPTHS = (0.25, 0.5, 0.75)
THEIR_TOGGLES = 3
CALIBRATION_IMAGES = 32


@dataclass(frozen=True, slots=True)
class Job:
    """What both do the same work on."""

    model: str
    shape: tuple[int, ...]
    images: int
    toggles: int
    segments: int
    memory: int

    @property
    def samples(self) -> list[Inputs]:
        import onnx

        name = onnx.load(self.model, load_external_data=False).graph.input[0].name
        return [{name: _image(self.shape, seed)} for seed in range(self.images)]


def _image(shape: tuple[int, ...], seed: int) -> NDArray[np.float32]:
    """Soft spots with a little noise."""
    dice = np.random.default_rng(seed)
    size = tuple(-(-side // 16) for side in shape[2:])
    coarse = np.kron(dice.standard_normal((*shape[:2], *size)), np.ones((16, 16)))
    soft = coarse[..., : shape[2], : shape[3]] + 0.2 * dice.standard_normal(shape)
    return soft.astype(np.float32)


def ranges_of(job: Job) -> dict[str, tuple[float, float]]:
    import onnx

    opened = session(onnx.load(job.model), every=True)
    found: dict[str, tuple[float, float]] = {}
    for sample in job.samples:
        for name, array in (sample | run(opened, sample)).items():
            if array.dtype == np.float32 and array.size:
                low, high = found.get(name, (np.inf, -np.inf))
                found[name] = min(low, float(array.min())), max(high, float(array.max()))
    return found


def spent() -> float:
    """CPU seconds of this process and those that it started."""
    children = (child.cpu_times() for child in psutil.Process().children(recursive=True))
    return time.process_time() + float(sum(times.user + times.system for times in children))


def peak(process: int) -> int:
    with Path(f"/proc/{process}/status").open() as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


@dataclass(slots=True)
class Clock:
    """CPU and wall seconds of each kind of work; of several times the one in the middle."""

    found: dict[str, list[tuple[float, float]]]

    def time(self, name: str, work: Callable[[], Any]) -> Any:
        cpu, wall = spent(), time.perf_counter()
        result = work()
        self.found.setdefault(name, []).append((spent() - cpu, time.perf_counter() - wall))
        return result

    def several(self, name: str, works: Sequence[Callable[[], Any]]) -> None:
        """CPU seconds of other processes come in steps of 10 ms: so all together, over their number."""
        cpu, wall = spent(), time.perf_counter()
        for work in works:
            work()
        took = spent() - cpu, time.perf_counter() - wall
        self.found.setdefault(name, []).append((took[0] / len(works), took[1] / len(works)))

    def answer(self, **more: Any) -> dict[str, Any]:
        middles = {
            name: [median(each[part] for each in times) for part in (0, 1)] for name, times in self.found.items()
        }
        return {"times": middles, **more}


def ours(job: Job) -> dict[str, Any]:
    from errorflow.quant.plan import FLOAT, Plan, Rule
    from errorflow.quant.ranges import Calibration, Range
    from errorflow.run.engine.engine import Budget, Engine

    found = {name: Range(*ends) for name, ends in ranges_of(job).items()}
    samples, clock = job.samples, Clock({})
    usual = Budget()
    segments = job.segments if job.segments else usual.segments
    budget = Budget(job.memory << 20 if job.memory >= 0 else usual.memory, segments=segments)
    engine = clock.time("open", lambda: Engine(Path(job.model), samples, Calibration("min-max", found), budget))
    try:
        names = _switchable(engine)
        whole = Plan()
        table = clock.time("table", lambda: engine.run(whole))
        for depth in DEPTHS:
            chosen = _around(names, depth, job.toggles)
            clock.several(f"toggle {depth:.0%}", [_once(engine, whole.keeping_float(name)) for name in chosen])
            clock.several("toggle back", [_once(engine, whole)] * job.toggles)
        alone = Plan(FLOAT, FLOAT)
        engine.run(alone, engine.outputs, [0])
        chosen = names[:: max(1, len(names) // 40)]
        plans = [alone.with_rule(Rule(whole.activations, whole.weights, names=(name,))) for name in chosen]
        clock.several("one alone", [_once(engine, plan, engine.outputs) for plan in plans])
        worker = max(peak(child.pid) for child in psutil.Process().children())
        return clock.answer(peak=worker, tensors=len(table.tensors), nodes=len(names), segments=engine.segments)
    finally:
        engine.close()


def _switchable(engine: Any) -> list[str]:
    from errorflow.quant.operators import flowing

    graph = engine.graph
    return [
        node.name if node.name else next(filter(None, node.outputs))
        for node in graph.nodes()
        if flowing(node) and graph.tensor_index(next(filter(None, node.outputs))) is not None
    ]


def _once(engine: Any, plan: Any, tensors: Sequence[str] | None = None) -> Callable[[], Any]:
    return lambda: engine.run(plan, tensors, [0])


def _around(names: Sequence[str], depth: float, count: int) -> Sequence[str]:
    start = min(int(len(names) * depth), len(names) - count)
    return names[max(0, start) : max(0, start) + count]


def theirs(job: Job) -> dict[str, Any]:
    import onnx

    model = prepared(onnx.load(job.model))
    logging.disable()
    name_nodes(model)
    found, samples, clock = ranges_of(job), job.samples, Clock({})
    names = [node.name for node in model.graph.node if node.op_type not in QUIET]
    float_all, float_out = session(model, every=True), session(model, every=False)
    kept = run(float_all, samples[0])
    outputs = run(float_out, samples[0])

    def table() -> None:
        coded = session(quantized(model, found, exclude=()), every=True)
        for sample in samples:
            metrics(run(float_all, sample), run(coded, sample))

    def toggle(name: str) -> None:
        metrics(kept, run(session(quantized(model, found, exclude=(name,)), every=True), samples[0]))

    def alone(name: str) -> None:
        metrics(outputs, run(session(quantized(model, found, only=(name,)), every=False), samples[0]))

    clock.time("table", table)
    count = min(THEIR_TOGGLES, job.toggles)
    for depth in DEPTHS:
        clock.several(f"toggle {depth:.0%}", [_bound(toggle, name) for name in _around(names, depth, count)])
    clock.several("toggle back", [_bound(toggle, name) for name in names[-1:]])
    clock.several("one alone", [_bound(alone, name) for name in names[:: max(1, len(names) // 6)]])
    return clock.answer(peak=peak(os.getpid()))


def _bound(work: Callable[[str], None], name: str) -> Callable[[], None]:
    return lambda: work(name)


def _apart(which: str, job: Job) -> dict[str, Any]:
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    call = [sys.executable, __file__, "--one", which, "--job", json.dumps(asdict(job))]
    done = subprocess.run(call, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        sys.exit(f"{which} failed:\n{done.stderr[-2000:]}")
    answer: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return answer


def _loaded() -> dict[str, Any]:
    import onnxruntime

    return {"peak": peak(os.getpid()), "version": onnxruntime.__version__}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", nargs="?")
    parser.add_argument("--shape", default="1x3x320x320")
    parser.add_argument("--images", type=int, default=4)
    parser.add_argument("--toggles", type=int, default=12)
    parser.add_argument("--segments", type=int, default=0)
    parser.add_argument("--memory", type=int, default=-1, help="what may be kept of results, in MB; else as usual")
    parser.add_argument("--peers", type=Path, help="also run the other tools; their environments are there, or will be")
    parser.add_argument("--data", help="a folder of 0.npy, 1.npy and so on, for the peers")
    parser.add_argument("--only-peers", action="store_true", help="leave out what is ours and ONNX Runtime's alone")
    parser.add_argument("--one", choices=("ours", "theirs", "loaded"), help=argparse.SUPPRESS)
    parser.add_argument("--job", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        stored = json.loads(options.job)
        job = Job(**stored | {"shape": tuple(stored["shape"])})
        print(json.dumps({"ours": ours, "theirs": theirs}[options.one](job) if options.one != "loaded" else _loaded()))
        return
    with TemporaryDirectory() as folder:
        model = options.model
        if model is None:
            from rerun_net import detector

            model = str(Path(folder) / "detector.onnx")
            Path(model).write_bytes(detector().SerializeToString())
        shape = tuple(map(int, options.shape.split("x")))
        job = Job(model, shape, options.images, options.toggles, options.segments, options.memory)
        if not options.only_peers:
            _print(job, *(_apart(which, job) for which in ("loaded", "ours", "theirs")))
        if options.peers:
            compare(_work(job, options.data if options.data else folder), options.peers)


def _work(job: Job, data: str) -> Work:
    """For all sides; makes up what images are missing."""
    import onnx

    for number in range(max(job.images, CALIBRATION_IMAGES)):
        file = Path(data) / f"{number}.npy"
        if not file.exists():
            np.save(file, _image(job.shape, number))
    name = onnx.load(job.model, load_external_data=False).graph.input[0].name
    return Work(str(Path(job.model).absolute()), data, name, job.images, CALIBRATION_IMAGES)


def _print(job: Job, loaded: Mapping[str, Any], mine: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    print(
        f"{Path(job.model).name} {job.shape}, {mine['tensors']} tensors, "
        f"{mine['segments']} segments, {job.images} images"
    )
    print(f"ONNX Runtime {loaded['version']}, one thread; load {os.getloadavg()[0]:.1f}")
    print(f"{'':14}{'engine, CPU':>14}{'wall':>12}{'their way':>14}{'wall':>12}{'ratio (CPU)':>14}")
    for name, (cpu, wall) in mine["times"].items():
        cells = [f"{cpu * 1e3:,.1f} ms", f"{wall * 1e3:,.1f} ms"]
        if name in other["times"]:
            their_cpu, their_wall = other["times"][name]
            cells += [f"{their_cpu * 1e3:,.1f} ms", f"{their_wall * 1e3:,.1f} ms", f"{their_cpu / max(cpu, 1e-3):.1f}"]
        print(
            f"{name:14}" + "".join(f"{cell:>{width}}" for cell, width in zip(cells, (14, 12, 14, 12, 14), strict=False))
        )
    above = [(each["peak"] - loaded["peak"]) / 1e6 for each in (mine, other)]
    print(f"{'memory':14}{above[0]:>11,.0f} MB{'':12}{above[1]:>11,.0f} MB{'':12}{above[1] / above[0]:>14.1f}")


if __name__ == "__main__":
    main()
