"""How long it takes to measure one pair of tensors that is in memory, and how much memory on top.

    python benchmarks/metrics.py [--quick] [--vendor DIR]

Four things: msaccucmp's ten columns and our own measures, each by the engine and by the plain loops of
`plain_metrics.py`; with --vendor also the columns by msaccucmp's own algorithms (DIR holds its `msaccucmp.py`). One
thread; each run has a process of its own, in which the first call is not counted. The numbers must agree.
"""

import argparse
import platform
import sys
from pathlib import Path

from measure import Cost, cost, megabytes

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE)]

SIZES = (1_000, 100_000, 10_000_000)
TYPES = ("float32", "float16")
VALUES = 10_000_000
SCALE = 0.05

DATA = """
import numpy as np, warnings
warnings.simplefilter("ignore")
random = np.random.default_rng(1)
y = random.standard_normal(({count} // 1000, 10, 10, 10), np.float32)
x = (y + np.float32(0.01) * random.standard_normal(y.shape, np.float32)).astype("{dtype}")
y = y.astype("{dtype}")
"""
OUR_CELLS = (
    "from errorflow.vendors.ascend.comparers.columns import cells\n"
    "def run(): return list(cells(x, y, shape=x.shape, my_path='', golden_path='').values.values())"
)
PLAIN_CELLS = "from plain_metrics import cells\ndef run(): return cells(x, y)"
VENDOR_CELLS = """
sys.path.insert(0, {vendor!r})
from cmp_utils import log
log.print_info_log = log.print_warn_log = lambda *_: None
from algorithm_manager.algorithm_manager import AlgorithmManager
from cmp_utils.utils_type import ShapeType
tool, facts = AlgorithmManager("", "all", ""), dict(shape_type=ShapeType.Tensor)
def run(): return tool.compare(x.flatten(), y.flatten(), facts)[0]
"""
OUR_MEASURES = """
from errorflow.compare.metrics.measure import measure
from errorflow.graph.qparams import QParams
def run():
    found = measure(y, x, qparams=QParams(({scale},)))
    return [f"{{value:.5g}}" for key, value in sorted(found.values.items())]
"""
PLAIN_MEASURES = """
from plain_metrics import measure
def run(): return [f"{{value:.5g}}" for key, value in sorted(measure(y, x, {scale}).items()) if key != "unique"]
"""
WORK = "for _ in range({repeat}): result = run()"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="leave out the largest tensors")
    parser.add_argument("--vendor", help="the folder of msaccucmp.py")
    options = parser.parse_args()
    print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}, one thread")
    print(f"{'':34} {'engine: ms, peak':>22} {'other: ms, peak':>22} {'ratio':>7}")
    for count in SIZES[:-1] if options.quick else SIZES:
        for dtype in TYPES:
            _rows(count, dtype, options.vendor)


def _rows(count: int, dtype: str, vendor: str | None) -> None:
    title = f"{count:,} {dtype}"
    ours = _cost(OUR_CELLS, count, dtype)
    _row(f"{title}, columns, plain", ours, _cost(PLAIN_CELLS, count, dtype), count)
    if vendor is not None:
        theirs = _cost(VENDOR_CELLS.format(vendor=str(Path(vendor).resolve())), count, dtype)
        _row(f"{title}, columns, tool", ours, theirs, count)
    scale = {"scale": SCALE}
    measured = _cost(OUR_MEASURES.format(**scale), count, dtype)
    _row(f"{title}, measures, plain", measured, _cost(PLAIN_MEASURES.format(**scale), count, dtype), count)


def _cost(code: str, count: int, dtype: str) -> Cost | str:
    setup = DATA.format(count=count, dtype=dtype) + code.strip() + "\nrun()"
    return cost(setup, WORK.format(repeat=_repeat(count)))


def _repeat(count: int) -> int:
    return max(1, min(1000, VALUES // count))


def _row(title: str, ours: Cost | str, theirs: Cost | str, count: int) -> None:
    if isinstance(ours, str) or isinstance(theirs, str):
        print(f"{title:34} {ours if isinstance(ours, str) else ''} {theirs if isinstance(theirs, str) else ''}")
        return
    assert ours.result == theirs.result, f"{title}: {ours.result} here, {theirs.result} there"
    both = " ".join(f"{side.cpu / _repeat(count) * 1e3:12.3f} {megabytes(side.peak):>9}" for side in (ours, theirs))
    print(f"{title:34} {both} {theirs.cpu / ours.cpu:7.1f}", flush=True)


if __name__ == "__main__":
    main()
