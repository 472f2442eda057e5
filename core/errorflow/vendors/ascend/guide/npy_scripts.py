"""Scripts that write each tensor of a model as `operator.output.timestamp.npy`, as comparers of Ascend want it.

They run where the framework is, without this program. Names of files stand in them as Python literals.
"""

from errorflow.guides.facts import Facts

_ONNX = '''\
"""Runs an ONNX model once and writes every tensor as operator.output.timestamp.npy.

Needs onnx, onnxruntime and numpy. INPUTS is an .npz with an array under the name of each input.
"""

import os
import re
import time

import numpy as np
import onnx
import onnxruntime as ort

MODEL = {model!r}
INPUTS = {inputs!r}
FOLDER = {folder!r}
# Tensors that are asked for at once: fewer need less memory and take longer.
AT_ONCE = 100

try:  # models of AMCT hold operators of its own
    from amct_onnx import AMCT_SO as options
except ImportError:
    options = None


def plain(name):
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)


def main():
    model = onnx.load(MODEL, load_external_data=False)
    given = {{each.name for each in model.graph.input}} - {{each.name for each in model.graph.initializer}}
    with np.load(INPUTS) as file:
        fed = {{name: file[name] for name in file.files if name in given}}
    if given - set(fed):
        raise SystemExit(INPUTS + " lacks " + ", ".join(sorted(given - set(fed))))
    known = {{each.name for each in model.graph.output}}
    names = {{}}
    for node in model.graph.node:
        for index, tensor in enumerate(node.output):
            if tensor:
                names[tensor] = plain(node.name or tensor) + "." + str(index)
                if tensor not in known:
                    model.graph.output.append(onnx.ValueInfoProto(name=tensor))
    beside = os.path.splitext(MODEL)[0] + "_all_tensors.onnx"  # beside it: weights may lie in files there
    onnx.save(model, beside)
    try:
        session = ort.InferenceSession(beside, options, providers=["CPUExecutionProvider"])
    finally:
        os.remove(beside)
    os.makedirs(FOLDER, exist_ok=True)
    when = str(int(time.time() * 1000000))
    for name, value in fed.items():
        np.save(os.path.join(FOLDER, plain(name) + ".0." + when + ".npy"), value)
    wanted = list(names)
    for first in range(0, len(wanted), AT_ONCE):
        part = wanted[first : first + AT_ONCE]
        for tensor, value in zip(part, session.run(part, fed)):
            np.save(os.path.join(FOLDER, names[tensor] + "." + when + ".npy"), value)
    print("Wrote " + str(len(wanted)) + " tensors into " + FOLDER)


if __name__ == "__main__":
    main()
'''

_CAFFE = '''\
"""Runs a Caffe model once and writes every blob as layer.top.timestamp.npy.

Needs pycaffe and numpy. INPUTS is an .npz with an array under the name of each input blob.
"""

import os
import re
import time

import numpy as np

MODEL = {model!r}
WEIGHTS = {weights!r}
INPUTS = {inputs!r}
FOLDER = {folder!r}


def plain(name):
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)


def part_in_place(layers):
    """Layers that write over what they read would hide it: each gets a blob of its own, and Dropout goes."""
    now = {{}}
    kept = []
    for layer in layers:
        bottoms = list(layer.bottom)
        layer.bottom[:] = [now.get(bottom, bottom) for bottom in bottoms]
        if layer.type == "Dropout" and bottoms:
            now[layer.top[0]] = layer.bottom[0]
            continue
        tops = list(layer.top)
        for index, top in enumerate(tops):
            if top in bottoms:
                layer.top[index] = now[top] = layer.name if index == 0 else layer.name + "_" + str(index)
            else:
                now.pop(top, None)
        kept.append(layer)
    return kept


def main():
    import caffe
    from caffe.proto import caffe_pb2
    from google.protobuf import text_format

    net = caffe_pb2.NetParameter()
    with open(MODEL) as file:
        text_format.Merge(file.read(), net)
    layers = part_in_place(net.layer)
    parted = caffe_pb2.NetParameter()
    parted.CopyFrom(net)
    del parted.layer[:]
    parted.layer.extend(layers)
    os.makedirs(FOLDER, exist_ok=True)
    path = os.path.join(FOLDER, "parted.prototxt")
    with open(path, "w") as file:
        file.write(text_format.MessageToString(parted))
    try:
        run = caffe.Net(path, WEIGHTS, caffe.TEST)
    finally:
        os.remove(path)
    with np.load(INPUTS) as file:
        lacking = [name for name in run.inputs if name not in file.files]
        if lacking:
            raise SystemExit(INPUTS + " lacks " + ", ".join(lacking))
        for name in run.inputs:
            run.blobs[name].reshape(*file[name].shape)
            run.blobs[name].data[...] = file[name]
    run.forward()
    when = str(int(time.time() * 1000000))
    count = 0
    for layer, tops in run.top_names.items():
        for index, top in enumerate(tops):
            np.save(os.path.join(FOLDER, plain(layer) + "." + str(index) + "." + when + ".npy"), run.blobs[top].data)
            count += 1
    print("Wrote " + str(count) + " tensors into " + FOLDER)


if __name__ == "__main__":
    main()
'''

_TENSORFLOW = '''\
"""Runs a frozen TensorFlow graph once and writes every tensor as operator.output.timestamp.npy.

Needs tensorflow and numpy. INPUTS is an .npz with an array under the name of each placeholder, without ":0".
"""

import os
import re
import time

import numpy as np

MODEL = {model!r}
INPUTS = {inputs!r}
FOLDER = {folder!r}
SILENT = ("Const", "NoOp", "Assert", "Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond")


def plain(name):
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)


def file_name(tensor, when):
    """scope/operator:0 becomes scope_operator.0.timestamp.npy."""
    operator, _, index = tensor.rpartition(":")
    return plain(operator) + "." + index + "." + when + ".npy"


def main():
    import tensorflow.compat.v1 as tf

    tf.disable_eager_execution()
    definition = tf.GraphDef()
    with open(MODEL, "rb") as file:
        definition.ParseFromString(file.read())
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(definition, name="")
    placeholders = [each.name for each in graph.get_operations() if each.type == "Placeholder"]
    with np.load(INPUTS) as file:
        lacking = [name for name in placeholders if name not in file.files]
        if lacking:
            raise SystemExit(INPUTS + " lacks " + ", ".join(lacking))
        fed = {{graph.get_tensor_by_name(name + ":0"): file[name] for name in placeholders}}
    tensors = [tensor for each in graph.get_operations() if each.type not in SILENT for tensor in each.outputs]
    numeric = [tensor for tensor in tensors if tensor.dtype.is_floating or tensor.dtype.is_integer]
    os.makedirs(FOLDER, exist_ok=True)
    when = str(int(time.time() * 1000000))
    with tf.Session(graph=graph) as session:
        for tensor, value in zip(numeric, session.run(numeric, feed_dict=fed)):
            np.save(os.path.join(FOLDER, file_name(tensor.name, when)), value)
    print("Wrote " + str(len(numeric)) + " tensors into " + FOLDER)


if __name__ == "__main__":
    main()
'''
_SCRIPTS = {"onnx": _ONNX, "caffe": _CAFFE, "tensorflow": _TENSORFLOW}


def npy_script(facts: Facts, folder: str) -> str:
    """Writes the script for the framework that the model is in."""
    text = _SCRIPTS[facts.framework]
    return text.format(model=facts.model, weights=facts.weights, inputs=facts.inputs, folder=folder)
