"""How long it takes, and how much memory, to read a model: Errorflow against onnx.load, and against json.load.

    python benchmarks/open.py [--quick]

Every run has a process of its own; imports are paid before the clock starts. The memory is what the process gained
over itself with all libraries loaded.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from measure import Cost, cost, megabytes

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]

SIZES = (300, 3_000, 10_000, 30_000, 100_000)
INLINE_BYTES = 1_200_000_000
OPS = 20_000
# Measured with Netron 9.3.3 on generated decoders of these sizes, until its first picture; see docs/benchmarks.md.
NETRON = {300: "1.2 s", 3_000: "6–32 s", 10_000: "72 s or crash", 30_000: "crash", 100_000: "crash"}

OURS = (
    "import errorflow.formats.onnx.read, onnx, numpy; from errorflow.formats import read",
    "model = read({path!r}); result = len(model.graph)",
)
OURS_PICTURE = (
    "import errorflow.formats.onnx.read, onnx, numpy\n"
    "from errorflow.formats import read\nfrom errorflow.layout.engine import layout",
    "drawing = layout(read({path!r}).graph); result = len(drawing)",
)
ONNX = ("import onnx", "model = onnx.load({path!r}, load_external_data=False); result = len(model.graph.node)")
ATC = ("from errorflow.formats import read", "model = read({path!r}); result = len(model.graph)")
JSON = (
    "import json",
    "model = json.load(open({path!r}, 'rb')); result = sum(len(graph['op']) for graph in model['graph'])",
)


def _run(job: tuple[str, str], path: Path) -> Cost | str:
    return cost(job[0], job[1].format(path=str(path)))


def _row(title: str, path: Path, ours: Cost | str, theirs: Cost | str, remark: str = "") -> None:
    size = megabytes(path.stat().st_size)
    if isinstance(ours, str) or isinstance(theirs, str):
        print(f"{title:24} {size:>9}  {ours}  |  {theirs}")
        return
    assert ours.result == theirs.result, f"{title}: {ours.result} nodes here, {theirs.result} there"
    both = "   ".join(f"{side.cpu:8.3f} s {megabytes(side.peak):>9}" for side in (ours, theirs))
    print(f"{title:24} {size:>9}  {both}   {ours.cpu / theirs.cpu:6.2f}  {remark}", flush=True)


def _head(peer: str) -> None:
    print(f"\n{'':24} {'file':>9}  {'Errorflow CPU, peak':>20}   {f'{peer} CPU, peak':>20}   {'ratio':>6}")


def models(folder: Path, sizes: tuple[int, ...]) -> None:
    from generate import of_size

    _head("onnx.load")
    for size in sizes:
        path = folder / f"decoder-{size}.onnx"
        sketch = of_size(size)
        sketch.write(path)
        _row(
            f"decoder, {len(sketch.nodes):,} nodes", path, _run(OURS, path), _run(ONNX, path), f"Netron: {NETRON[size]}"
        )
        picture = _run(OURS_PICTURE, path)
        if isinstance(picture, Cost):
            print(f"{'  and laid out, unfolded':24} {'':>9}  {picture.cpu:8.3f} s {megabytes(picture.peak):>9}")


def inline_weights(folder: Path) -> None:
    import numpy as np
    import onnx
    from onnx import helper

    count = 12
    weight = np.zeros(INLINE_BYTES // count // 4, np.float32)
    names = [f"w{index}" for index in range(count)]
    nodes = [helper.make_node("Add", [f"t{i}", name], [f"t{i + 1}"]) for i, name in enumerate(names)]
    kept = [onnx.numpy_helper.from_array(weight, name) for name in names]
    ends = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, weight.shape) for name in ("t0", f"t{count}")]
    path = folder / "inline.onnx"
    onnx.save(helper.make_model(helper.make_graph(nodes, "inline", ends[:1], ends[1:], kept)), path)
    del kept, weight
    _row("1.2 GB inline weights", path, _run(OURS, path), _run(ONNX, path))
    path.unlink()


def atc(folder: Path, ops: int) -> None:
    from ascend_writer import write_atc_json

    path = folder / "atc.json"
    write_atc_json(path, ops)
    _head("json.load")
    _row(f"ATC JSON, {ops:,} ops", path, _run(ATC, path), _run(JSON, path))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes only, in seconds")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        models(folder, SIZES[:2] if quick else SIZES)
        if not quick:
            inline_weights(folder)
        atc(folder, 500 if quick else OPS)


if __name__ == "__main__":
    main()
