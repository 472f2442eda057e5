"""Writes Ascend model files for tests and benchmarks: ATC JSON by hand or in bulk, and `.om` files from the same data.

The `.om` goes through the protobuf runtime with a schema of its own: the reader is checked against more than itself.
"""

import json
import re
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

Json = dict[str, Any]

# ------------------------------------------------------------------------------------------------- small models by hand


def attr(key: str, value: object) -> Json:
    """One entry of an attribute map, coded by the type of `value`; a dictionary is given as it is."""
    return {"key": key, "value": value if isinstance(value, dict) or value is None else _coded(value)}


def _coded(value: object) -> Json:
    if isinstance(value, bool):
        return {"b": value}
    if isinstance(value, int):
        return {"i": value}
    if isinstance(value, float):
        return {"f": f"{value:g}"}
    if isinstance(value, str):
        return {"s": value}
    assert isinstance(value, tuple)
    if not value:
        return {"list": {"val_type": "VT_LIST_STRING"}}
    member, kind = {bool: ("b", "BOOL"), int: ("i", "INT"), str: ("s", "STRING"), float: ("f", "FLOAT")}[type(value[0])]
    return {"list": {member: list(value), "val_type": f"VT_LIST_{kind}"}}


def desc(dtype: str = "DT_FLOAT", shape: Sequence[int] = (1, 3, 8, 8), layout: str = "NCHW", **attrs: object) -> Json:
    """A tensor descriptor; a scalar leaves out its shape, as the printer does."""
    entries = [attr(key, value) for key, value in attrs.items()]
    found: Json = {"dtype": dtype, "layout": layout, "attr": entries}
    return found | ({"shape": {"dim": list(shape)}} if shape else {})


def op(name: str, op_type: str, inputs: Sequence[str] = (), outputs: int | Sequence[Json] = 1, **attrs: object) -> Json:
    """One operator with that many plain outputs, or with the given ones."""
    found: Json = {"name": name, "type": op_type, "attr": [attr(key, value) for key, value in attrs.items()]}
    if inputs:
        found["input"] = list(inputs)
    descs = [desc() for _ in range(outputs)] if isinstance(outputs, int) else list(outputs)
    return found | ({"output_desc": descs} if descs else {})


def graph(*ops: Json | None, name: str = "net", **fields: object) -> Json:
    return {"name": name, "op": list(ops), **fields}


def model(*graphs: Json, **attrs: object) -> Json:
    entries = [attr(key, value) for key, value in attrs.items()]
    return {"attr": entries, "graph": list(graphs), "name": "model", "version": 2}


def chain() -> Json:
    """The smallest model that has everything: input, constant, fused and inserted operators, output."""
    return graph(
        op("x", "Data", [""]),
        op("trans_0", "Cast", ["x:0"], [desc("DT_FLOAT16")], _datadump_original_op_names=()),
        op("w", "Const", outputs=[desc("DT_FLOAT16", (8, 3, 1, 1))]),
        op(
            "conv",
            "Conv2D",
            ["trans_0:0", "w:0", ""],
            [
                desc(
                    "DT_FLOAT16",
                    (1, 1, 8, 8, 16),
                    "NC1HWC0",
                    origin_format="NCHW",
                    origin_shape=(1, 8, 8, 8),
                    _datadump_origin_name="relu1",
                    _datadump_origin_output_index=0,
                    _datadump_origin_format="NCHW",
                    _datadump_origin_data_type="DT_FLOAT",
                )
            ],
            _datadump_original_op_names=("conv1", "bn1", "relu1"),
        ),
        op("Node_Output", "NetOutput", ["conv:0"], 0),
    )


def write_json(path: Path, content: object, indent: int | None = 2) -> Path:
    path.write_text(json.dumps(content, indent=indent), encoding="utf-8")
    return path


# --------------------------------------------------------------------------------------------------- a large ATC JSON


def write_atc_json(path: Path, nodes: int) -> Path:
    """A chain with branches of `nodes` operators, each with about as many attributes as real ones have (10 kB)."""
    with path.open("w", encoding="utf-8") as file:
        index = [f"op_{number}" for number in range(nodes)]
        head = model(soc_version="Ascend310", framework_type="Onnx", task_index_op_name=tuple(index))
        text = json.dumps(head | {"graph": []}, indent=2)
        before, after = text.split('"graph": []')
        file.write(before + '"graph": [{"name": "large", "input": ["op_0:0"], "op": [\n')
        for number in range(nodes):
            file.write((",\n" if number else "") + json.dumps(large_op(number, nodes), indent=2))
        file.write("\n]}]" + after)
    return path


def large_op(number: int, nodes: int) -> Json:
    """Operator `number` of a model of `nodes`: Data first, NetOutput last, convolutions and casts between."""
    name = f"op_{number}"
    if number == 0:
        return op(name, "Data", [""])
    before = [f"op_{number - 1}:0"] + ([f"op_{number - 7}:0"] if number % 7 == 0 else [])
    if number == nodes - 1:
        return op(name, "NetOutput", before, 0)
    shape = (1, 64, 56, 56)
    about: dict[str, object] = {
        "origin_format": "NCHW",
        "origin_shape": shape,
        "origin_shape_initialized": True,
        "origin_data_type": "DT_FLOAT16",
        "shape_range": None,
        "placement": 0,
        "_datadump_origin_name": f"model/block_{number // 10}/conv_{number}",
        "_datadump_origin_output_index": 0,
        "_datadump_origin_format": "NCHW",
    }
    tensor = desc("DT_FLOAT16", (1, 4, 56, 56, 16), "NC1HWC0", **about)
    tensor |= {"device_type": "NPU", "real_dim_cnt": 5}
    found = op(name, "Cast" if number % 5 == 0 else "Conv2D", before, [tensor], **_heavy(name, number))
    return found | {
        "id": number,
        "input_desc": [tensor for _ in before],
        "input_i": [number * 512 for _ in before],
        "src_name": [text.rpartition(":")[0] for text in before],
        "src_index": [0 for _ in before],
        "dst_name": [f"op_{number + 1}"],
        "dst_index": [0],
        "output_i": [number * 512],
        "has_out_attr": True,
    }


def _heavy(name: str, number: int) -> dict[str, object]:
    info = json.dumps(
        {"_op_slice_info": {"l1FusionEnable": 0, "splitMaps": [{"inputList": [{"axis": [1], "idx": 0}]}]}}
    )
    flags = ("continuous_input", "continuous_output", "_is_custom_op", "_is_n_batch_split", "_op_no_tiling")
    numbers = ("imply_type", "op_para_size", "tvm_blockdim", "_tbeKernelSize", "fusion_scope", "_fe_imply_type")
    lists = ("ub_atomic_params", "_input_name_value", "_output_name_value", "_ir_inputs_value", "strides", "pads")
    engines = ("_engine_type", "_lxfusion_engine_name", "_ge_attr_op_kernel_lib_name", "_lxfusion_op_kernel_lib_name")
    return {
        "_datadump_original_op_names": (f"conv_{number}", f"bn_{number}"),
        "_op_slice_info": info.replace('"', '\\"'),
        f"{name}_kernelname": f"te_conv2d_{number:064x}_1__kernel0",
        f"{name}_pattern": "Convolution",
        "tvm_magic": "RT_DEV_BINARY_MAGIC_ELF",
        "_input_name_key": ("x", "filter", "bias"),
        "_ir_attr_names": ("strides", "pads", "dilations", "groups", "data_format", "offset_x"),
        **dict.fromkeys(flags, False),
        **dict.fromkeys(numbers, number),
        **dict.fromkeys(lists, (0, 1, 2, 3)),
        **dict.fromkeys(engines, "AIcoreEngine"),
        **{f"_fusion_hint_{index}": index for index in range(12)},
    }


# ---------------------------------------------------------------------------------------------------------- .om files

# Field number, name and type per message of ge.proto; `*` is repeated, `%` a map from strings.
SCHEMA = {
    "ModelDef": "1 name string, 2 version int64, 3 custom_version string, 7 graph GraphDef*, 11 attr AttrDef%",
    "GraphDef": "1 name string, 4 input string*, 5 output string*, 6 op OpDef*, 11 attr AttrDef%",
    "OpDef": "1 name string, 2 type string, 5 input string*, 10 attr AttrDef%, 20 has_out_attr bool, 21 id int64,"
    " 22 stream_id int64, 23 input_name string*, 24 src_name string*, 25 src_index int64*, 26 dst_name string*,"
    " 27 dst_index int64*, 28 input_i int64*, 29 output_i int64*, 30 workspace int64*, 31 workspace_bytes int64*,"
    " 32 is_input_const bool*, 33 input_desc TensorDescriptor*, 34 output_desc TensorDescriptor*,"
    " 35 subgraph_name string*",
    "TensorDescriptor": "1 name string, 2 dtype int64, 3 shape ShapeDef, 4 layout string, 5 attr AttrDef%,"
    " 9 has_out_attr bool, 10 size int64, 11 weight_size int64, 12 reuse_input bool, 13 output_tensor bool,"
    " 14 device_type string, 15 input_tensor bool, 16 real_dim_cnt int64, 17 reuse_input_index int64,"
    " 18 data_offset int64, 19 cmps_size int64, 20 cmps_tab bytes, 21 cmps_tab_offset int64",
    "ShapeDef": "1 dim int64*",
    "TensorDef": "1 desc TensorDescriptor, 2 data bytes",
    "AttrDef": "1 list ListValue, 2 s bytes, 3 i int64, 4 f float, 5 b bool, 7 bt bytes, 10 func NamedAttrs,"
    " 11 td TensorDescriptor, 12 t TensorDef, 13 g GraphDef, 14 list_list_int ListListInt, 15 dt int64,"
    " 16 list_list_float ListListFloat",
    "ListValue": "2 s bytes*, 3 i int64*, 4 f float*, 5 b bool*, 7 bt bytes*, 8 td TensorDescriptor*, 9 t TensorDef*,"
    " 10 g GraphDef*, 11 na NamedAttrs*, 12 dt int64*, 20 val_type int64",
    "NamedAttrs": "1 name string, 2 attr AttrDef%",
    "ListListInt": "1 list_list_i ListInt*",
    "ListInt": "1 list_i int64*",
    "ListListFloat": "1 list_list_f ListFloat*",
    "ListFloat": "1 list_f float*",
}
_SCALARS = {"int64": 3, "float": 2, "bool": 8, "string": 9, "bytes": 12}
_MESSAGE, _OPTIONAL, _REPEATED = 11, 1, 3
_TYPE_NAMES = """
    UNDEFINED FLOAT FLOAT16 INT8 UINT8 INT16 UINT16 INT32 INT64 UINT32 UINT64 BOOL DOUBLE STRING DUAL_SUB_INT8
    DUAL_SUB_UINT8 COMPLEX64 COMPLEX128 QINT8 QINT16 QINT32 QUINT8 QUINT16 RESOURCE STRING_REF DUAL VARIANT BF16 INT4
    UINT1 INT2 UINT2
"""
DTYPES = [f"DT_{name}" for name in re.findall(r"\w+", _TYPE_NAMES)]
LIST_TYPES = re.findall(r"\w+", "NONE STRING INT FLOAT BOOL BYTES TENSOR_DESC TENSOR GRAPH NAMED_ATTRS DATA_TYPE")


def write_om(path: Path, content: Json, weights: bytes = b"", wide: bool = False, **header: Any) -> Path:
    """The same model as an offline model; `header` overrides fields of it (see `om_bytes`)."""
    path.write_bytes(om_bytes([(0, message("ModelDef", content)), (1, weights), (2, b"task")], wide, **header))
    return path


def om_bytes(
    partitions: Sequence[tuple[int, bytes]] = (),
    wide: bool = False,
    *,
    magic: bytes = b"IMOD",
    head_size: int = 256,
    encrypted: int = 0,
    kind: int = 0,
    models: int = 1,
    more: Iterable[Sequence[tuple[int, bytes]]] = (),
) -> bytes:
    """A file of these partitions, with `more` models behind the first; `wide` is the layout with 64-bit offsets."""
    body = b"".join(_table(part, wide) for part in (partitions, *more))
    head = struct.pack(
        "<4sII64sI4B32sI32sII20sB3x",
        magic,
        head_size,
        0x20000000,
        b"",
        len(body),
        encrypted,
        0,
        kind,
        0,
        b"model",
        0,
        b"",
        0,
        models,
        b"3.20",
        0,
    )
    head += struct.pack("<Q64x", len(body) if wide else 0)
    return head[:head_size] + body


def _table(partitions: Sequence[tuple[int, bytes]], wide: bool) -> bytes:
    rows, offset = [], 0
    for kind, data in partitions:
        rows.append(struct.pack("<I4xQQ" if wide else "<III", kind, offset, len(data)))
        offset += len(data)
    return struct.pack("<I4x" if wide else "<I", len(rows)) + b"".join(rows) + b"".join(data for _, data in partitions)


def message(kind: str, content: Mapping[str, Any]) -> bytes:
    """The wire form of a message that is given as the printer prints it."""
    made = _classes()[kind]()
    _fill(made, kind, content)
    return bytes(made.SerializeToString())


@cache
def _fields(kind: str) -> dict[str, str]:
    return {name: form for _, name, form in (field.split() for field in SCHEMA[kind].split(","))}


def _fill(made: Any, kind: str, content: Mapping[str, Any]) -> None:
    for name, value in content.items():
        form = _fields(kind)[name]
        if value is None:
            if form[-1] not in "*%" and form not in _SCALARS:
                getattr(made, name).SetInParent()
        elif form.endswith("%"):
            for entry in value:
                target = getattr(made, name)[entry["key"]]
                _fill(target, form[:-1], {} if entry["value"] is None else entry["value"])
        elif form.endswith("*"):
            _fill_list(getattr(made, name), form[:-1], name, value)
        elif form in _SCALARS:
            setattr(made, name, _scalar(form, name, value))
        else:
            getattr(made, name).SetInParent()
            _fill(getattr(made, name), form, value)


def _fill_list(target: Any, form: str, name: str, values: Sequence[Any]) -> None:
    for value in values:
        if form not in _SCALARS:
            _fill(target.add(), form, {} if value is None else value)
        else:
            target.append(value.encode() if form == "bytes" and name == "s" else _scalar(form, name, value))


def _scalar(form: str, name: str, value: Any) -> Any:
    if form == "bytes":
        return value if isinstance(value, bytes) else _unescaped(value)
    if form == "float":
        return float(value)
    if form != "int64":
        return value
    if name in ("dtype", "dt") and isinstance(value, str):
        return DTYPES.index(value)
    if name == "val_type" and isinstance(value, str):
        return LIST_TYPES.index(value.removeprefix("VT_LIST_"))
    return int(value)


def _unescaped(text: str) -> bytes:
    return text.encode().decode("unicode_escape").encode("latin-1") if "\\" in text else text.encode()


@cache
def _classes() -> dict[str, Callable[[], Any]]:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="ge_ir_test.proto", package="test.ge", syntax="proto3")
    for kind, text in SCHEMA.items():
        made = file.message_type.add(name=kind)
        for field in text.split(","):
            number, name, form = field.split()
            _declare(made, kind, int(number), name, form)
        if kind == "AttrDef":
            made.oneof_decl.add(name="value")
            for declared in made.field:
                declared.oneof_index = 0
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    find = pool.FindMessageTypeByName
    return {kind: message_factory.GetMessageClass(find(f"test.ge.{kind}")) for kind in SCHEMA}


def _declare(made: Any, kind: str, number: int, name: str, form: str) -> None:
    label = _REPEATED if form[-1] in "*%" else _OPTIONAL
    bare = form.rstrip("*%")
    declared = made.field.add(name=name, number=number, label=label)
    if form.endswith("%"):
        entry = made.nested_type.add(name=re.sub("(^|_)(.)", lambda found: found[2].upper(), name) + "Entry")
        entry.options.map_entry = True
        entry.field.add(name="key", number=1, label=_OPTIONAL, type=_SCALARS["string"])
        entry.field.add(name="value", number=2, label=_OPTIONAL, type=_MESSAGE, type_name=f".test.ge.{bare}")
        declared.type, declared.type_name = _MESSAGE, f".test.ge.{kind}.{entry.name}"
    elif bare in _SCALARS:
        declared.type = _SCALARS[bare]
    else:
        declared.type, declared.type_name = _MESSAGE, f".test.ge.{bare}"
