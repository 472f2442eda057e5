"""Calibration against ONNX Runtime's own tool: the same model, the same inputs, in the same run.

    python benchmarks/calibrate.py MODEL [--samples N] [--size 320] [--repeat 3] [--pictures DIR]

The model has one input of pictures. Each run has a process of its own, bound to one core so that both have one thread;
CPU and wall seconds, and memory above what was there when the libraries were loaded. Inputs are .npy files, written
beforehand: pictures of DIR, or made-up ones (coloured noise of several sizes). Ranges of min-max must be equal.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from measure import Cost, cost, megabytes

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE)]

ONE_CORE = "import os\nos.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])\n"
OURS = (
    ONE_CORE
    + """
import json
import numpy, onnx, onnxruntime
from pathlib import Path
from errorflow.formats import read_model
from errorflow.quant.precision import Precision
from errorflow.run.calibrating import JUDGES
from errorflow.run.collecting import Request, collected
from errorflow.run.model import wanted_of
from errorflow.run.samples.asked import Asked
onnxruntime.set_default_logger_severity(4)
wanted = wanted_of(read_model({model!r}).graph)
request = Request({model!r}, wanted, Asked(({data!r},)), None, {methods!r}, Precision(), JUDGES if {judged} else ())
"""
)
OUR_WORK = """
found = collected(request, lambda nodes, total: None)
result = json.dumps({{tensor.name: (tensor.found[0].low, tensor.found[0].high) for tensor in found.tensors}})
"""
THEIRS = (
    ONE_CORE
    + """
import json, logging
import numpy, onnx, onnxruntime
from pathlib import Path
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, create_calibrator
onnxruntime.set_default_logger_severity(4)
# Another number of threads gives other last bits.
class OneThread(onnxruntime.SessionOptions):
    def __init__(self):
        super().__init__()
        self.intra_op_num_threads = 1
onnxruntime.SessionOptions = OneThread
name = onnx.load({model!r}, load_external_data=False).graph.input[0].name
files = sorted(Path({data!r}).glob("*.npy"), key=lambda path: int(path.stem))
class Reader(CalibrationDataReader):
    def __init__(self): self.left = iter(files)
    def get_next(self):
        path = next(self.left, None)
        return None if path is None else {{name: numpy.load(path)}}
"""
)
THEIR_WORK = """
tool = create_calibrator(Path({model!r}), [], {augmented!r}, CalibrationMethod.{method})
tool.collect_data(Reader())
found = {{name: data.range_value for name, data in tool.compute_data().items()}}
result = json.dumps({{name: [float(numpy.squeeze(end)) for end in ends] for name, ends in found.items()}})
"""
# What is compared: name, our methods, whether ranges are judged as the command does it, their method.
ROWS: tuple[tuple[str, tuple[str, ...], bool, str], ...] = (
    ("min-max", ("minmax",), False, "MinMax"),
    ("percentile", ("percentile",), False, "Percentile"),
    ("entropy", ("entropy",), False, "Entropy"),
    (
        "all methods, judged by two types of codes",
        ("minmax", "moving-average", "percentile", "percentile-99.99", "percentile-99.9", "mse", "entropy"),
        True,
        "",
    ),
)


def write_data(folder: Path, size: int, count: int, pictures: str) -> None:
    """As many arrays of 3 × size × size."""
    for number, array in enumerate(_arrays(size, count, pictures)):
        np.save(folder / f"{number}.npy", array.astype(np.float32))


def _arrays(size: int, count: int, pictures: str) -> Iterator[np.ndarray[Any, Any]]:
    from errorflow.run.model import ModelInput
    from errorflow.run.samples.asked import Pictures, SampleSpec
    from errorflow.run.samples.opening import open_samples

    if pictures:
        recipe = Pictures((123.675, 116.28, 103.53), (58.395, 57.12, 57.375), resize="stretch-antialias")
        samples = open_samples(
            (ModelInput("x", "float32", (1, 3, size, size)),), SampleSpec((pictures,), pictures=recipe)
        )
        yield from (samples.read(number % samples.count)["x"] for number in range(count))
        return
    random = np.random.default_rng(1)
    for _ in range(count):
        layers = [random.standard_normal((1, 3, side, side)) for side in (5, 20, size)]
        steps = [np.arange(size) * layer.shape[2] // size for layer in layers]
        mixed = [layer[:, :, step[:, None], step] for layer, step in zip(layers, steps, strict=True)]
        yield mixed[0] + 0.5 * mixed[1] + 0.2 * mixed[2]


def compare(model: str, data: str, repeat: int, rows: Sequence[tuple[str, tuple[str, ...], bool, str]]) -> None:
    print(f"{'':44} {'CPU s':>7} {'wall s':>7} {'memory':>10}   ratios of CPU, memory")
    for name, methods, judged, method in rows:
        facts = {"model": model, "data": data, "methods": methods, "judged": judged}
        ours = cost(OURS.format(**facts), OUR_WORK.format(), repeat)
        _line(f"{name}, ours", ours, None)
        if method:
            facts = {"model": model, "data": data, "augmented": f"{data}/augmented.onnx", "method": method}
            theirs = cost(THEIRS.format(**facts), THEIR_WORK.format(**facts), repeat)
            _line(f"{name}, ONNX Runtime", theirs, ours)
            if method == "MinMax" and isinstance(ours, Cost) and isinstance(theirs, Cost):
                print(f"{'':4}{_equal(json.loads(ours.result), json.loads(theirs.result))}")


def _line(name: str, found: Cost | str, ours: Cost | str | None) -> None:
    if isinstance(found, str):
        print(f"{name:44} {found}")
        return
    ratios = ""
    if isinstance(ours, Cost):
        ratios = f"   ours is {ours.cpu / found.cpu:.2f} ×, {ours.peak / max(found.peak, 1):.2f} ×"
    print(f"{name:44} {found.cpu:7.2f} {found.wall:7.2f} {megabytes(found.peak):>10}{ratios}")


def _equal(ours: dict[str, list[float]], theirs: dict[str, list[float]]) -> str:
    shared = ours.keys() & theirs.keys()
    same = sum(ours[name] == theirs[name] for name in shared)
    return f"{same:,} of {len(shared):,} ranges are equal to the bit; {len(ours):,} ours, {len(theirs):,} theirs"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--samples", type=int, default=32)
    parser.add_argument("--size", type=int, default=320)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--pictures", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_data(Path(folder), options.size, options.samples, options.pictures)
        print(f"{Path(options.model).name}, {options.samples} inputs of 3 × {options.size} × {options.size}")
        compare(options.model, folder, options.repeat, ROWS)


if __name__ == "__main__":
    main()
