"""The script that quantizes a model with ONNX Runtime's own tool. It is written out, and needs nothing of Errorflow."""

HEAD = '''\
"""Quantizes @MODEL@ with ONNX Runtime's own tool, as it was decided in Errorflow.

    python @FILE@ model.onnx quantized.onnx --data DIR

DIR holds what calibrates: a folder per input with an .npy per sample; .npz files with an array per input; or, where
the model has one input, .npy files. A file may hold many samples, stacked, and may be given in place of DIR. It needs
onnx, numpy and onnxruntime.
@LEFT_OUT@"""

import argparse
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static

'''

BODY = '''

class Samples(CalibrationDataReader):
    """One after the other."""

    def __init__(self, folder, inputs):
        self.feeds = iter(list(samples(Path(folder), inputs)))

    def get_next(self):
        return next(self.feeds, None)


def samples(place, inputs):
    archives = [place] if place.suffix == ".npz" else sorted(place.glob("*.npz"))
    if archives:
        for path in archives:
            with np.load(path) as arrays:
                yield from together({name: arrays[name] for name in inputs}, inputs)
        return
    if place.suffix == ".npy":
        rows = [[place]] if len(inputs) == 1 else []
    else:
        own = len(inputs) == 1 and not (place / next(iter(inputs))).is_dir()
        rows = [sorted((place if own else place / name).glob("*.npy")) for name in inputs]
    if not rows or not all(rows):
        raise SystemExit(f"{place} has no samples for {', '.join(inputs)}.")
    for files in zip(*rows):
        yield from together({name: np.load(file) for name, file in zip(inputs, files)}, inputs)


def together(arrays, inputs):
    """The samples that lie in arrays of one file each, which may be stacked."""
    parts = [fitted(arrays[name], shape) for name, shape in inputs.items()]
    for row in zip(*parts):
        yield dict(zip(inputs, row))


def fitted(array, shape):
    """A single sample may come without its first axis; many may be stacked along it where its size is known."""
    array = array[None] if array.ndim == len(shape) - 1 else array
    each = shape[0] if shape else 0
    if array.ndim != len(shape) or each < 1 or len(array) <= each or len(array) % each:
        return [array]
    return [array[start : start + each] for start in range(0, len(array), each)]


def inputs_of(model):
    """Shapes by name, 0 for a size that is open; what has a value of its own is no input."""
    held = {tensor.name for tensor in model.graph.initializer}
    shapes = {each.name: each.type.tensor_type.shape.dim for each in model.graph.input if each.name not in held}
    return {name: [size.dim_value for size in sizes] for name, sizes in shapes.items()}


def with_names(model):
    """Nodes that have no name, or share it, go by the first tensor that they make."""
    counts = Counter(node.name for node in model.graph.node)
    for node in model.graph.node:
        if not node.name or counts[node.name] > 1:
            node.name = next(name for name in node.output if name)
    return model


def put_back(model, original, names):
    """Takes QuantizeLinear and DequantizeLinear away from these tensors.

    The tool quantizes a tensor as soon as one of its nodes is quantized; what one node needs in float stays in float
    for all.
    """
    graph, names = model.graph, set(names)
    values = {tensor.name: tensor for tensor in original.graph.initializer}
    made = {output: node for node in graph.node for output in node.output}
    outputs = {output.name for output in graph.output}
    renamed, gone = {}, []
    for node in graph.node:
        if node.op_type != "DequantizeLinear":
            continue
        quantizer = made.get(node.input[0])
        source = quantizer.input[0] if quantizer is not None else node.input[0].removesuffix("_quantized")
        if quantizer is not None and quantizer.op_type != "QuantizeLinear":
            continue
        name = source.removesuffix("_QuantizeLinear_Input")
        if name not in names and source not in names:
            continue
        if quantizer is None and source not in values:
            continue
        if quantizer is None and source not in {tensor.name for tensor in graph.initializer}:
            graph.initializer.append(values[source])
        gone += [node] if quantizer is None else [node, quantizer]
        if node.output[0] in outputs:
            made[source].output[list(made[source].output).index(source)] = node.output[0]
            renamed[source] = node.output[0]
        elif node.output[0] != source:  # what makes a bias has the name of the bias
            renamed[node.output[0]] = source
    kept = [node for node in graph.node if not any(node is other for other in gone)]
    for node in kept:
        for place, name in enumerate(node.input):
            while name in renamed:
                name = renamed[name]
            node.input[place] = name
    del graph.node[:]
    graph.node.extend(kept)
    read = {name for node in graph.node for name in node.input} | outputs
    unread = [tensor for tensor in graph.initializer if tensor.name not in read]
    for tensor in unread:
        graph.initializer.remove(tensor)
    return model


def overrides(model):
    """What tensors have that is not what all have; a tensor that the model does not have would be an error."""
    names = {name for node in model.graph.node for name in (*node.input, *node.output)}
    names |= {tensor.name for tensor in model.graph.initializer}
    found = {}
    for name, settings in TENSOR_OVERRIDES.items():
        if name in names:
            found[name] = [{key: setting(key, value) for key, value in settings.items()}]
    return found


def setting(key, value):
    if key == "quant_type":
        return getattr(QuantType, value)
    return np.array(value, np.float32) if key in ("rmin", "rmax") else value


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("quantized")
    parser.add_argument("--data", required=True, metavar="DIR")
    options = parser.parse_args()
    original = onnx.load(options.model)
    model = with_names(onnx.load(options.model))
    large = sum(len(tensor.raw_data) for tensor in model.graph.initializer) > 1_900_000_000
    quantize_static(
        model,
        options.quantized,
        Samples(options.data, inputs_of(model)),
        quant_format=QuantFormat.QDQ,
        op_types_to_quantize=OP_TYPES_TO_QUANTIZE,
        nodes_to_exclude=NODES_TO_EXCLUDE,
        per_channel=PER_CHANNEL,
        reduce_range=REDUCE_RANGE,
        activation_type=ACTIVATION_TYPE,
        weight_type=WEIGHT_TYPE,
        calibrate_method=CalibrationMethod.MinMax,
        use_external_data_format=large,
        extra_options={**EXTRA_OPTIONS, "TensorQuantOverrides": overrides(model)},
    )
    quantized = put_back(onnx.load(options.quantized), original, FLOAT_TENSORS)
    onnx.save(quantized, options.quantized, save_as_external_data=large)


if __name__ == "__main__":
    main()
'''
