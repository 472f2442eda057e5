"""The compiled model as `atc --mode=1` prints it: the attributes that a real file has, in its way of writing."""

from collections.abc import Sequence

import ascend_writer
from ascend_writer import Json, desc
from tools.npu_case.compiled import Op, Port
from tools.npu_case.layouts import ge_type, laid_out, plain_layout


def atc_json(ops: Sequence[Op], name: str) -> Json:
    numbers = {id(op): at for at, op in enumerate(ops)}
    inputs = [f"{op.name}:0" for op in ops if op.op_type == "Data"]
    main = ascend_writer.graph(*(_op(op, ops, numbers) for op in ops), name=name, input=inputs)
    net_output = ops[-1]
    return ascend_writer.model(
        main,
        soc_version="Ascend310P3",
        framework_type="Onnx",
        atc_cmdline=f"atc --model={name}.onnx --framework=5 --output={name} --soc_version=Ascend310P3",
        attr_model_out_nodes_name=tuple(
            f"{link.op.name}:{link.index}:output{at}" for at, link in enumerate(net_output.inputs)
        ),
    ) | {"name": name}


def _op(op: Op, ops: Sequence[Op], numbers: dict[int, int]) -> Json:
    about: dict[str, object] = dict(op.attributes)
    if op.originals is not None:
        about["_datadump_original_op_names"] = op.originals
    found = ascend_writer.op(op.name, op.op_type, outputs=[_desc(port) for port in op.outputs])
    found["attr"] = [ascend_writer.attr(key, value) for key, value in about.items()]
    if op.op_type == "Data":
        found["input"] = [""]
    elif op.inputs:
        found["input"] = [f"{link.op.name}:{link.index}" for link in op.inputs]
        found["input_desc"] = [_desc(link.port, is_output=False) for link in op.inputs]
        found["is_input_const"] = [link.op.op_type == "Const" for link in op.inputs]
        found["src_name"] = [link.op.name for link in op.inputs]
        found["src_index"] = [link.index for link in op.inputs]
    readers = [(reader, place) for reader in ops for place, link in enumerate(reader.inputs) if link.op is op]
    if readers:
        found["dst_name"] = [reader.name for reader, _ in readers]
        found["dst_index"] = [place for _, place in readers]
    number = numbers[id(op)]
    return found | ({"id": number} if number else {}) | {"has_out_attr": True}


def _desc(port: Port, is_output: bool = True) -> Json:
    """Only outputs say which tensor of the original they stand for."""
    plain = plain_layout(port.array)
    about: dict[str, object] = {
        "origin_format": plain,
        "origin_shape": port.array.shape if port.array.ndim else {"list": {"val_type": "VT_LIST_INT"}},
        "origin_data_type": ge_type(port.dtype),
        "origin_shape_initialized": True,
    }
    if is_output and port.origin is not None:
        about |= {
            "_datadump_origin_name": port.origin[0],
            "_datadump_origin_output_index": port.origin[1],
            "_datadump_origin_format": plain,
            "_datadump_origin_data_type": ge_type("float32" if port.dtype == "float16" else port.dtype),
        }
    shape = laid_out(port.array, port.layout, port.dtype).shape
    return desc(ge_type(port.dtype), shape, port.layout, **about) | {"device_type": "NPU", "real_dim_cnt": len(shape)}
