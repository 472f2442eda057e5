"""The files of a case, in the layout that Caffe, AMCT, ATC and an NPU leave behind."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

import ascend_writer
from amct_case.board import Op
from amct_case.layers import Array, Layer, Net
from amct_case.quantizing import Record
from ascend_writer import Json, attr, desc
from npu_writer import NpuArray, write_npu
from tools.npu_case.layouts import dumped

TIME = 1_700_000_000_000_000
_GE_TYPES = {"f": "DT_FLOAT16", "int8": "DT_INT8", "int32": "DT_INT32"}


def write_prototxt(path: Path, net: Net) -> None:
    shape = " ".join(f"dim: {size}" for size in net.image.shape)
    lines = [
        'name: "ResNetSmall"',
        f'layer {{ name: "data" type: "Input" top: "data" input_param {{ shape {{ {shape} }} }} }}',
        *(_line(net, layer) for layer in net.layers),
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _line(net: Net, layer: Layer) -> str:
    tops = [net.by_name[name].top if name in net.by_name else name for name in layer.bottoms]
    bottoms = " ".join(f'bottom: "{top}"' for top in tops)
    return f'layer {{ name: "{layer.name}" type: "{layer.kind}" {bottoms} top: "{layer.top}" {_parameters(layer)} }}'


def _parameters(layer: Layer) -> str:
    window = f"kernel_size: {layer.kernel} stride: {layer.stride}"
    if layer.kind == "Convolution":
        return f"convolution_param {{ num_output: {layer.outputs} {window} pad: {layer.pad} bias_term: false }}"
    if layer.kind == "Pooling":
        return f"pooling_param {{ pool: {'AVE' if layer.average else 'MAX'} {window} }}"
    if layer.kind == "InnerProduct":
        return f"inner_product_param {{ num_output: {layer.outputs} }}"
    return "scale_param { bias_term: true }" if layer.kind == "Scale" else ""


def write_arrays(folder: Path, values: Mapping[str, Array]) -> None:
    """As msit and AMCT's users save them: operator.output.timestamp.npy."""
    folder.mkdir(parents=True)
    for name, array in values.items():
        np.save(folder / f"{name}.0.{TIME + 1}.npy", np.ascontiguousarray(array, np.float32))


def write_record(path: Path, records: Mapping[str, Record]) -> None:
    path.write_text("\n".join(_record(name, record) for name, record in records.items()) + "\n", encoding="utf-8")


def _record(name: str, record: Record) -> str:
    weights = "\n".join(f"    scale_w: {float(scale)!r}\n    offset_w: 0" for scale in record.scales)
    head = f"    scale_d: {record.scale!r}\n    offset_d: {record.offset}"
    return f'record {{\n  key: "{name}"\n  value {{\n{head}\n{weights}\n  }}\n}}'


def write_quantization(path: Path, net: Net) -> None:
    """Which layers of the quantized model came from which of the original one."""
    ops: list[Json] = [{"name": "data", "type": "Input"}]
    for layer in net.layers:
        if layer.kind in ("BatchNorm", "Scale"):
            continue
        ops += _quantized(net, layer) if layer.kind in ("Convolution", "InnerProduct") else [_plain(layer)]
    path.write_text(json.dumps({"name": "resnet", "graph": [{"op": ops}]}, indent=1), encoding="utf-8")


def _plain(layer: Layer) -> Json:
    return {"name": layer.name, "type": layer.kind}


def _quantized(net: Net, layer: Layer) -> list[Json]:
    unit = net.unit(layer.name)
    names = (
        (f"{layer.name}_quant_layer", "Quant"),
        (layer.name, layer.kind),
        (f"{layer.name}_dequant_layer", "DeQuant"),
    )
    found: list[Json] = [
        {"name": name, "type": kind, "attr": [_strings("_datadump_original_op_names", unit)]} for name, kind in names
    ]
    found[-1]["output_desc"] = [
        {
            "attr": [
                {"key": "_datadump_origin_format", "value": {"s": "NCHW"}},
                {"key": "_datadump_data_type", "value": {"s": "DT_FLOAT"}},
                {"key": "_datadump_origin_output_index", "value": {"i": 0}},
                {"key": "_datadump_origin_name", "value": {"s": unit[-1]}},
            ]
        }
    ]
    return found


def _strings(key: str, values: Sequence[str]) -> Json:
    """A list as ATC's numbers of types say it; empty ones have no member."""
    return {"key": key, "value": {"list": {"val_type": 1} | ({"s": list(values)} if values else {})}}


def write_compiled(path: Path, ops: Sequence[Op]) -> None:
    """What `atc --mode=1` prints."""
    printed = [each for op in ops for each in _printed(op)]
    output = ascend_writer.op("Node_Output", "NetOutput", [f"{ops[-1].name}:0"], 0)
    output["attr"] = [_strings("_datadump_original_op_names", ())]
    for number, each in enumerate([*printed, output]):
        if number:
            each["id"] = number
    main = ascend_writer.graph(*printed, output, name="ge_default")
    path.write_text(json.dumps({"name": "m", "graph": [main]}, indent=1), encoding="utf-8")


def _printed(op: Op) -> Iterator[Json]:
    for name, kind, shape in op.constants:
        layout = "NCHW" if len(shape) == 4 else "ND"
        yield ascend_writer.op(
            name, "Const", outputs=[desc(kind, shape, layout, origin_format=layout, origin_shape=shape)]
        )
    inputs = [f"{each.name}:0" for each in op.inputs] + [f"{name}:0" for name, _, _ in op.constants]
    kind = "DT_FLOAT" if op.op_type == "Data" else _GE_TYPES.get(op.output.dtype.name, "DT_FLOAT16")
    about = [attr("_datadump_origin_format", "NCHW")]
    if op.origin:
        sizes: Json = {"list": {"val_type": 2, "i": list(op.output.shape)}}
        about = [
            attr("_datadump_origin_name", op.origin),
            attr("_datadump_origin_output_index", 0),
            *about,
            {"key": "origin_shape", "value": sizes},
        ]
    found = ascend_writer.op(op.name, op.op_type, inputs if inputs else [""], [{"attr": about, "dtype": kind}])
    found["attr"] = [_strings("_datadump_original_op_names", op.originals)]
    yield found


def write_dumps(folder: Path, ops: Sequence[Op]) -> None:
    folder.mkdir(parents=True)
    for number, op in enumerate(op for op in ops if op.op_type != "Data"):
        write_npu(
            folder / f"{op.op_type}.{op.name}.{number + 1}.7.{TIME + 1000 * (number + 1)}",
            [_stored(each) for each in op.inputs],
            [_stored(op)],
            op_name=op.name,
            dump_time=TIME + 1000 * (number + 1),
        )


def _stored(op: Op) -> NpuArray:
    dtype = op.output.dtype.name if op.output.dtype.kind == "i" else "float16"
    return dumped(op.output, op.layout, dtype)
