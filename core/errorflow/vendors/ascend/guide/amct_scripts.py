"""Scripts that quantize with AMCT, and that have it search for what must not be quantized."""

import re

from errorflow.guides.facts import Facts

_MARKS = re.compile(r"\{\{|\}\}|\{(?:model|model!r|weights!r|prefix!r|arguments)\}")

_HEAD = '''\
"""Quantizes {model} with AMCT; writes a model for accuracy tests (fake_quant), one for ATC (deploy), and their files.

CALIBRATION is a folder of .npy files, each one preprocessed batch of the only input. 10 to 100 inputs that are like
the real ones are usual.
"""

import glob
import os

import numpy as np
'''

_SETTINGS = """
MODEL = {model!r}
WEIGHTS = {weights!r}
CALIBRATION = "calibration_data"
PREFIX = {prefix!r}
# Layers that stay in float, such as the first and the last one.
SKIPPED = []


def batches():
    files = sorted(glob.glob(os.path.join(CALIBRATION, "*.npy")))
    if not files:
        raise SystemExit(CALIBRATION + " holds no .npy files")
    return [np.load(path) for path in files]

"""

_CAFFE = '''
def run(model_file, weights_file, arrays):
    """The outputs of the first output blob, batch by batch."""
    net = caffe.Net(model_file, weights_file, caffe.TEST)
    name, found = net.inputs[0], []
    for array in arrays:
        net.blobs[name].reshape(*array.shape)
        net.blobs[name].data[...] = array
        found.append(net.forward()[net.outputs[0]].copy())
    return found
'''

_ONNX = '''
def run(model_file, arrays):
    """The first output, batch by batch."""
    session = ort.InferenceSession(model_file, amct.AMCT_SO)
    name = session.get_inputs()[0].name
    return [session.run(None, {{name: array}})[0] for array in arrays]
'''

_CAFFE_MAIN = """

def main():
    os.makedirs("amct", exist_ok=True)
    arrays = batches()
    config, record = "amct/config.json", "amct/scale_offset_record.txt"
    amct.create_quant_config(config, MODEL, WEIGHTS, SKIPPED, len(arrays), True)
    graph = amct.init(config, MODEL, WEIGHTS, record)
    modified, weights = "amct/modified_model.prototxt", "amct/modified_model.caffemodel"
    amct.quantize_model(graph, modified, weights)
    run(modified, weights, arrays)  # this is what calibrates
    amct.save_model(graph, "Both", PREFIX)


if __name__ == "__main__":
    main()
"""

_ONNX_MAIN = """

def main():
    os.makedirs("amct", exist_ok=True)
    arrays = batches()
    config, record = "amct/config.json", "amct/scale_offset_record.txt"
    amct.create_quant_config(
        config_file=config, model_file=MODEL, skip_layers=SKIPPED, batch_num=len(arrays), activation_offset=True
    )
    modified = "amct/modified_model.onnx"
    amct.quantize_model(config_file=config, model_file=MODEL, modified_onnx_file=modified, record_file=record)
    run(modified, arrays)  # this is what calibrates
    amct.save_model(modified, record, PREFIX)


if __name__ == "__main__":
    main()
"""

_EVALUATOR = '''

# Of the samples in EVALUATION, a whole number each; a sample is right when its largest output has that place.
EVALUATION, LABELS = "evaluation_data", "labels.npy"
# How much of the top-1 accuracy may be lost.
MOST_LOST = 0.01


class Evaluator(AutoCalibrationEvaluatorBase):
    """Put your own measure into `evaluate`: a number of which more is better."""

    def calibration(self, {arguments}):
        run({arguments}, batches())

    def evaluate(self, {arguments}):
        files = sorted(glob.glob(os.path.join(EVALUATION, "*.npy")))
        outputs = run({arguments}, [np.load(path) for path in files])
        answers = np.concatenate([output.reshape(len(output), -1).argmax(1) for output in outputs])
        return float((answers == np.load(LABELS)[: len(answers)]).mean())

    def metric_eval(self, original_metric, new_metric):
        loss = original_metric - new_metric
        return loss <= MOST_LOST, loss


def main():
    os.makedirs("amct", exist_ok=True)
    config, record = "amct/config.json", "amct/scale_offset_record.txt"
'''

_CAFFE_SEARCH = """\
    amct.create_quant_config(config, MODEL, WEIGHTS, SKIPPED, len(batches()), True)
    amct.accuracy_based_auto_calibration(
        MODEL, WEIGHTS, Evaluator(), config, record, PREFIX, strategy="BinarySearch", sensitivity="CosineSimilarity"
    )


if __name__ == "__main__":
    main()
"""

_ONNX_SEARCH = """\
    amct.create_quant_config(
        config_file=config, model_file=MODEL, skip_layers=SKIPPED, batch_num=len(batches()), activation_offset=True
    )
    amct.accuracy_based_auto_calibration(
        model_file=MODEL,
        model_evaluator=Evaluator(),
        config_file=config,
        record_file=record,
        save_dir=PREFIX,
        strategy="BinarySearch",
        sensitivity="CosineSimilarity",
    )


if __name__ == "__main__":
    main()
"""
_IMPORTS = {
    "caffe": "import amct_caffe as amct\nimport caffe\n",
    "onnx": "import amct_onnx as amct\nimport onnxruntime as ort\n",
}
_RUNS = {"caffe": _CAFFE, "onnx": _ONNX}
_MAINS = {"caffe": _CAFFE_MAIN, "onnx": _ONNX_MAIN}
_SEARCHES = {"caffe": _CAFFE_SEARCH, "onnx": _ONNX_SEARCH}
_ARGUMENTS = {"caffe": "model_file, weights_file", "onnx": "model_file"}


def quantize_script(facts: Facts) -> str:
    """create_quant_config, quantize_model and save_model, with the run between them that calibrates."""
    kind = _kind(facts)
    return _filled(_HEAD + _IMPORTS[kind] + _SETTINGS + _RUNS[kind] + _MAINS[kind], facts)


def search_script(facts: Facts) -> str:
    """accuracy_based_auto_calibration, with an evaluator that counts right answers."""
    kind = _kind(facts)
    base = f"from amct_{kind}.common.auto_calibration import AutoCalibrationEvaluatorBase\n"
    return _filled(_HEAD + _IMPORTS[kind] + base + _SETTINGS + _RUNS[kind] + _EVALUATOR + _SEARCHES[kind], facts)


def _kind(facts: Facts) -> str:
    return "caffe" if facts.framework == "caffe" else "onnx"


def _filled(text: str, facts: Facts) -> str:
    # In a docstring a name is a text of its own; what could end it is not written there.
    shown = "".join(letter if letter.isalnum() or letter in "._-/" else "_" for letter in facts.model)
    values = {
        "{{": "{",
        "}}": "}",
        "{model}": shown,
        "{model!r}": repr(facts.model),
        "{weights!r}": repr(facts.weights),
        "{prefix!r}": repr(f"amct/{facts.name}"),
        "{arguments}": _ARGUMENTS[_kind(facts)],
    }
    return _MARKS.sub(lambda found: values[found[0]], text)
