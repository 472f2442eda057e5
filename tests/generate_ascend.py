"""Makes random comparisons of Ascend dumps, and writes down what msaccucmp prints for them.

    python tests/generate_ascend.py DIR --seeds 0 100 --oracle msaccucmp   # compare with the tool, keep differences
    python tests/generate_ascend.py DIR --seeds 7 8 --oracle msaccucmp --keep

The tool itself is no part of this repository: `--oracle` is a command that understands `compare`. Cases that are kept
hold their call in `call.txt`, what was printed in `expected.csv`, and the exit code in `exit.txt`.
"""

import argparse
import csv
import json
import random
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ascend_writer import Json, attr, graph, model, write_json
from generated_dumps import TIME, Case, dump_npu, dump_npy, some_shape, some_values, written_name
from npu_writer import NpuArray, write_npu

# Exit codes for a call that makes no sense; with others and no table, the tool ended while it was at work.
REFUSED = (6, 20)
_TYPES = ("Conv2D", "Relu", "Add", "MatMul", "SplitD", "Cast", "TransData", "Data", "Const", "NetOutput")
_QUANT_NAMES = ("_quant_layer", "_dequant_layer", "/AscendQuant", "/AscendDequant", ".quant", ".dequant")
_DESC_TYPES = ("DT_FLOAT16", "DT_FLOAT16", "DT_FLOAT", "DT_INT8")


def make(folder: Path, seed: int) -> Case:
    """A case of one of the ways to compare, chosen by the seed."""
    case = Case(folder, random.Random(seed))
    ways = (
        _fusion,
        _fusion,
        _fusion,
        _quantized,
        _with_quantization,
        _without_fusion,
        _npu_only,
        _npy_only,
        _in_pieces,
    )
    ways[seed % len(ways)](case)
    return case


def _fusion(case: Case) -> None:
    case.ops = _operators(case, "op")
    _write_model(case, "fusion.json", case.ops)
    dump_npu(case, "mine", case.ops, tails=True)
    dump_npy(case, "golden")
    case.call = ["-m", "mine", "-g", "golden", "-f", "fusion.json", *_extras(case)]


def _quantized(case: Case) -> None:
    """A quantized model on the NPU against the quantized model elsewhere."""
    case.quantized = True
    _fusion(case)
    np.save(case.folder / "golden" / "q_quant_layer.0.1.npy", np.ones((2, 3), np.float32))


def _with_quantization(case: Case) -> None:
    case.quantized = True
    case.ops = _operators(case, "op")
    layers = sorted({name for name, _ in case.origins})
    listed: list[Json] = []
    case.origins.clear()
    for layer in layers:
        if case.maybe(0.85) or not listed:
            listed.append(_operator(case, layer, [], layers))
    for entry in listed:
        entry.pop("input", None)
    write_json(case.folder / "quant.json", {"name": "q", "graph": [{"op": listed}]})
    _write_model(case, "fusion.json", case.ops)
    dump_npu(case, "mine", [*case.ops, {"name": "x_quant_layer", "type": "Quant"}])
    dump_npy(case, "golden")
    case.call = ["-m", "mine", "-g", "golden", "-f", "fusion.json", "-q", "quant.json"]


def _without_fusion(case: Case) -> None:
    case.ops = _operators(case, "op")
    closed = []
    for number, (name, index) in enumerate(sorted(case.origins)):
        if case.maybe(0.9):
            output = _described(case, [("_datadump_origin_name", name), ("_datadump_origin_output_index", index)])
            names = [name] if case.maybe(0.7) else [name, f"{name}_more"]
            closed.append(
                _op(f"closed_{number}", "Relu", [], [output], [("_datadump_original_op_names", tuple(names))])
            )
    _write_model(case, "fusion.json", case.ops)
    _write_model(case, "closed.json", closed if closed else [_op("none", "Relu", [], [], [])])
    dump_npu(case, "mine", case.ops)
    dump_npu(case, "golden", closed)
    case.call = ["-m", "mine", "-g", "golden", "-f", "fusion.json", "-cf", "closed.json"]


def _npu_only(case: Case) -> None:
    case.ops = _operators(case, "op")
    dump_npu(case, "mine", case.ops)
    dump_npu(case, "golden", case.ops, like=case.folder / "mine")
    case.call = ["-m", "mine", "-g", "golden"]


def _npy_only(case: Case) -> None:
    case.ops = [entry for entry in _operators(case, "layer") if entry["type"] not in ("Cast", "TransData")]
    for entry in case.ops:
        entry.pop("input", None)
        entry["attr"] = [item for item in entry["attr"] if not item["key"].startswith("_L1")]
    write_json(case.folder / "quant.json", {"name": "q", "graph": [{"op": case.ops}]})
    (case.folder / "mine").mkdir()
    np.save(case.folder / "mine" / "q_quant_layer.0.1.npy", np.ones((2, 3), np.float32))
    for entry in case.ops:
        if case.maybe(0.8) and ":" not in entry["name"]:
            shape = case.origins.get((entry["name"], 0), (2, 3))
            np.save(
                case.folder / "mine" / f"{written_name(entry['name'])}.0.{TIME}.npy",
                some_values(case, shape, np.float32),
            )
    dump_npy(case, "golden")
    case.call = ["-m", "mine", "-g", "golden", "-q", "quant.json"]


def _in_pieces(case: Case) -> None:
    """A chain of operators of which some were computed by several threads or in slices (FFTS+)."""
    both = case.maybe(0.3)
    for folder in ("mine", "golden"):
        (case.folder / folder).mkdir()
    before = ""
    for number in range(case.dice.randint(3, 6)):
        kind = case.dice.choice(("whole", "threads", "slices", "one"))
        name = f"op{number}"
        listed = f"{name}_lxslice0" if kind == "slices" and case.maybe(0.5) else name
        case.ops.append(_op(listed, "Relu", [f"{before}:0"] if before else [], [_described(case, [])], []))
        for folder in ("mine", "golden") if both else ("mine",):
            _dump_pieces(case, case.folder / folder, number, name, kind)
        if not both and case.maybe(0.9):
            np.save(case.folder / "golden" / f"{name}.0.{TIME}.npy", some_values(case, (4, 3), np.float32))
        before = listed
    case.call = ["-m", "mine", "-g", "golden"]
    if both:
        case.call += ["-ffts"] if case.maybe(0.3) else []
        return
    _write_model(case, "fusion.json", case.ops)
    case.call += ["-f", "fusion.json"]
    np.save(case.folder / "golden" / f"left.0.{TIME}.npy", np.ones((4, 3), np.float32))


def _dump_pieces(case: Case, folder: Path, number: int, name: str, kind: str) -> None:
    source, whole = some_values(case, (4, 3), np.float16), some_values(case, (4, 3), np.float16)
    time = TIME + 1000 * number
    if kind == "whole":
        tail = ".0.5.6.0" if case.maybe(0.3) else ""
        path = folder / f"Relu.{name}.{number}.2.{time}{tail}"
        write_npu(path, [NpuArray(source)], [NpuArray(whole)])
        return
    count = 1 if kind == "one" else 2
    rows = 4 // count
    ranges = [[[{"lower": at * rows, "higher": (at + 1) * rows}, {"lower": 0, "higher": 3}]] for at in range(count)]
    account = {
        "threadMode": int(kind != "slices"),
        "slice_instance_num": count + int(case.maybe(0.1)),
        "outputCutList": [[count, 1]] if case.maybe(0.85) else [],
        "output_tensor_slice": ranges,
        "input_tensor_slice": ranges,
    }
    for at in range(count):
        piece = f"{name}_lxslice{at}" if kind == "slices" else name
        part = slice(at * rows, (at + 1) * rows)
        write_npu(
            folder / f"Relu.{piece}.{number}.2.{time + at}.4.{at}.{at}.0",
            [NpuArray(source[part])],
            [NpuArray(whole[part])],
            op_name=f"scope/{piece}",
            attributes={"slice": json.dumps(account)},
        )


def _extras(case: Case) -> list[str]:
    """Options that change the table."""
    choices: tuple[list[str], ...] = (
        *([] for _ in range(6)),
        ["-overflow_detection"],
        ["-alg", "1,CosineSimilarity,9"],
        ["-alg", "0", "3", "5"],
        ["-s", "1,3,4,400"],
        ["-r", "1,-1,2"],
        ["-max", "7"],
        ["-map"],
    )
    return case.dice.choice(choices)


# ------------------------------------------------------------------------------------------------------------ the model


def _operators(case: Case, prefix: str) -> list[Json]:
    names = [_name(case, f"{prefix}{number}") for number in range(case.dice.randint(5, 16))]
    pool = [f"orig{number}" for number in range(len(names))]
    made: list[Json] = []
    for number, name in enumerate(names):
        entry = _operator(case, name, made, pool)
        if number:
            entry["id"] = number if case.maybe(0.9) else case.dice.randint(0, len(names))
        made.append(entry)
    return made


def _name(case: Case, base: str) -> str:
    if case.quantized and case.maybe(0.4):
        return base + case.dice.choice(_QUANT_NAMES)
    return case.dice.choice((base, base, base, f"scope/{base}", f"a.{base}", f"onnx::{base}", f"{base}-x"))


def _operator(case: Case, name: str, before: Sequence[Json], pool: Sequence[str]) -> Json:
    kind = case.dice.choice(_TYPES)
    if case.quantized and "quant" in name:
        kind = "AscendDequant" if "equant" in name else "AscendQuant"
    attrs: list[tuple[str, object]] = []
    originals = _originals(case, name, pool)
    if originals is not None:
        attrs.append(("_datadump_original_op_names", tuple(originals)))
    if case.maybe(0.12):
        attrs.append(("_L1_fusion_sub_graph_no", str(case.dice.randint(0, 1))))
    if case.maybe(0.15):
        attrs.append(("_datadump_is_multiop", case.maybe(0.8)))
    outputs = [_output(case, name, index, originals) for index in range(case.dice.choice((0, 1, 1, 1, 1, 2, 3)))]
    return _op(name, kind, _inputs(case, before), outputs, attrs)


def _op(
    name: str, kind: str, inputs: Sequence[str], outputs: Sequence[Json], attrs: Sequence[tuple[str, object]]
) -> Json:
    found: Json = {"name": name, "type": kind, "attr": [attr(key, value) for key, value in attrs]}
    if inputs:
        found["input"] = list(inputs)
    return found | ({"output_desc": list(outputs)} if outputs else {})


def _originals(case: Case, name: str, pool: Sequence[str]) -> list[str] | None:
    kind = case.dice.random()
    if kind < 0.3:
        return None
    if kind < 0.42:
        return []
    if kind < 0.75:
        return [case.dice.choice((name, case.dice.choice(pool), case.dice.choice(pool[:3])))]
    return case.dice.choice((list(pool[:2]), case.dice.sample(pool, k=min(3, len(pool)))))


def _inputs(case: Case, before: Sequence[Json]) -> list[str]:
    if not before:
        return [""] if case.maybe(0.5) else []
    found = []
    for _ in range(case.dice.choice((0, 1, 1, 1, 2, 3))):
        producer = case.dice.choice(before)
        index = case.dice.randrange(max(1, len(producer.get("output_desc", ()))))
        odd = case.dice.random()
        text = f"{producer['name']}:{index}"
        if odd < 0.06:
            text = f"{producer['name']}:-1"
        elif odd < 0.11:
            text = ""
        elif odd < 0.13:
            text = f"nowhere:{index}"
        elif odd < 0.15:
            text = case.dice.choice(
                (producer["name"].replace(":", ""), f"{producer['name']}:x", f"{producer['name']}:7")
            )
        found.append(text)
    return found


def _output(case: Case, name: str, index: int, originals: list[str] | None) -> Json:
    attrs: list[tuple[str, object]] = []
    recorded = case.dice.random()
    origin = ""
    if recorded < 0.55:
        origin = case.dice.choice(originals) if originals else name
        attrs.append(("_datadump_origin_name", origin))
    elif originals is None:
        origin = name
    elif len(originals) == 1:
        origin = originals[0]
    at = index
    if case.maybe(0.4):
        at = index if case.maybe(0.8) else case.dice.randint(0, 2)
        attrs.append(("_datadump_origin_output_index", at))
    if origin:
        case.origins.setdefault((origin, at), some_shape(case))
    return _described(case, attrs)


def _described(case: Case, attrs: list[tuple[str, object]]) -> Json:
    if case.maybe(0.5):
        attrs.append(("_datadump_origin_format", case.dice.choice(("NCHW", "NHWC", "ND"))))
    if case.maybe(0.7):
        attrs.append(("origin_format", case.dice.choice(("NCHW", "NCHW", "NHWC", "ND"))))
    if case.maybe(0.3):
        attrs.append(("origin_shape", some_shape(case)))
    found: Json = {"dtype": case.dice.choice(_DESC_TYPES)}
    return found | ({"attr": [attr(key, value) for key, value in attrs]} if attrs or case.maybe(0.5) else {})


def _write_model(case: Case, name: str, ops: Sequence[Json]) -> None:
    cut = case.dice.randint(1, len(ops)) if case.maybe(0.3) else len(ops)
    graphs = [graph(*part, name=f"g{number}") for number, part in enumerate((ops[:cut], ops[cut:])) if part]
    write_json(case.folder / name, model(*graphs))


# ---------------------------------------------------------------------------------------------- against the tool itself


def run(command: Sequence[str], case: Path, call: Sequence[str]) -> tuple[int, list[list[str]] | None]:
    """Exit code and table of a call within the case's folder; None: it wrote no table."""
    out = case / "out"
    shutil.rmtree(out, ignore_errors=True)
    done = subprocess.run(
        [*command, "compare", *call, "-out", "out"], cwd=case, capture_output=True, check=False, timeout=120
    )
    tables = [*out.glob("result_*.csv"), *out.glob("mapping_*.csv")] if out.is_dir() else []
    rows = list(csv.reader(tables[0].open(newline=""))) if len(tables) == 1 else None
    if rows is not None and len(rows) < 2:
        rows = None  # it ended before it had a result
    shutil.rmtree(out, ignore_errors=True)
    return done.returncode, None if rows is None else [
        [cell.replace(f"{case.resolve()}/", "") for cell in row] for row in rows
    ]


def differences(expected: list[list[str]], found: list[list[str]]) -> Iterator[str]:
    """Cell by cell."""
    if len(expected) != len(found):
        yield f"{len(expected)} rows expected, {len(found)} found"
    for number, (wanted, given) in enumerate(zip(expected, found, strict=False)):
        if len(wanted) != len(given):
            yield f"row {number}: {wanted} expected, {given} found"
            continue
        for title, left, right in zip(expected[0], wanted, given, strict=False):
            if left != right:
                yield f"row {number} {title}: {left!r} expected, {right!r} found"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, nargs=2, default=(0, 20), metavar=("FROM", "TO"))
    parser.add_argument("--oracle", required=True, help="the command that runs msaccucmp")
    parser.add_argument("--ours", default="errorflow", help="the command that runs Errorflow")
    parser.add_argument("--keep", action="store_true", help="keep every case, with what the tool printed")
    options = parser.parse_args()
    bad = 0
    for seed in range(*options.seeds):
        place = options.folder / f"case{seed}"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        case = make(place, seed)
        code, expected = run(shlex.split(options.oracle), place, case.call)
        own_code, found = run(shlex.split(options.ours), place, [*case.call, "--workers", "1"])
        found_differences = [] if expected is None or found is None else list(differences(expected, found))
        ended_early = expected is None and found is not None and code not in REFUSED
        if not ended_early and (code != own_code or (expected is None) != (found is None)):
            found_differences.append(f"exit {code} expected, {own_code} found")
        rows = 0 if expected is None else len(expected)
        print(f"{seed}: exit {code}, {rows} rows, {len(found_differences)} differences")  # noqa: T201 - a script
        print("".join(f"    {text}\n" for text in found_differences[:6]), end="")  # noqa: T201 - a script
        bad += bool(found_differences)
        if options.keep:
            (place / "call.txt").write_text(json.dumps(case.call))
            (place / "exit.txt").write_text(str(code))
            if expected is not None:
                with (place / "expected.csv").open("w", newline="") as file:
                    csv.writer(file).writerows(expected)
        elif not found_differences:
            shutil.rmtree(place)
    print(f"{bad} cases differ")  # noqa: T201 - a script
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
