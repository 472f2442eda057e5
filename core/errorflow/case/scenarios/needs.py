"""Needs of comparisons and how one gets them, after the vendors' guides."""

from dataclasses import replace
from typing import Final

from errorflow.case.scenarios.found import Kind
from errorflow.case.scenarios.scenario import Need

# A run of any kind but an NPU's, whose tensors have other names than the model's.
ANY_RUN: Final[frozenset[Kind]] = frozenset(("npy", "npy-quantized", "arrays", "raw"))
_COMPILED: Final[frozenset[Kind]] = frozenset(("atc-json", "om"))
_MODELS: Final[frozenset[Kind]] = frozenset(("onnx", "onnx-quantized", "atc-json", "om", "model"))
_DUMP = (
    'Run the offline model with a dump block in acl.json ("dump_path", "dump_mode": "all", "dump_list" with the '
    "model's name); the dump is the folder {time}/{device}/{model}/{model id}/{step}."
)
_DUMP_COMMAND = '{"dump": {"dump_path": "./dump", "dump_mode": "all", "dump_list": [{"model_name": "NAME"}]}}'
_NPY = (
    "Run the model in its framework with the same input and save each tensor with numpy.save as "
    "operator.output.timestamp.npy; msit does it with `msit debug dump`."
)

NPU_RUN = Need(
    "candidate",
    "NPU dump",
    "The tensors of the offline model, dumped on the NPU.",
    frozenset(("npu",)),
    _DUMP,
    _DUMP_COMMAND,
    option="-m",
)
NPU_QUANTIZED_RUN = replace(
    NPU_RUN,
    label="Dump of the quantized model",
    what="The tensors of the quantized offline model, dumped on the NPU.",
    kinds=frozenset(("npu-quantized",)),
)
NPU_AFTER = replace(
    NPU_RUN,
    label="NPU dump in question",
    what="The dump of the new version, of the other NPU, or with fusion.",
    kinds=frozenset(("npu", "npu-quantized")),
)
NPU_BEFORE = replace(
    NPU_AFTER,
    key="reference",
    label="NPU dump to trust",
    what="The dump of the old version, of the first NPU, or without fusion.",
    option="-g",
)
NPY_RUN = Need(
    "reference",
    "Original model's tensors",
    "A folder of .npy files of the model that was not quantized, for the same input.",
    frozenset(("npy",)),
    _NPY,
    option="-g",
)
NPY_QUANTIZED_RUN = replace(
    NPY_RUN,
    label="Quantized model's tensors",
    what="A folder of .npy files of the fake-quantized model, for the same input.",
    kinds=frozenset(("npy-quantized",)),
    obtain="Run the model that AMCT wrote for accuracy tests with the same input and save its tensors in the same way.",
)
NPY_QUANTIZED_CANDIDATE = replace(NPY_QUANTIZED_RUN, key="candidate", option="-m")
FUSION = Need(
    "fusion",
    "Compiled model (ATC JSON or .om)",
    "Says which operators were fused, and from which original tensors each one came.",
    _COMPILED,
    "Print it from the offline model that was dumped, or give the .om itself.",
    "atc --mode=1 --om=model.om --json=model.json",
    option="-f",
)
OPEN_FUSION = replace(
    FUSION,
    label="Compiled model with fusion",
    what="Of the dump in question, where the two were fused differently; leave both out where they were not.",
    required=False,
)
CLOSED_FUSION = replace(
    FUSION,
    key="closed_fusion",
    label="Compiled model without fusion",
    what="Of the dump to trust, compiled with fusion switched off.",
    obtain='Compile again with a switch file that says {"Switch": {"GraphFusion": {"ALL": "off"}, '
    '"UBFusion": {"ALL": "off"}}}, then print its JSON.',
    command="atc … --fusion_switch_file=fusion_switch.cfg",
    required=False,
    option="-cf",
)
QUANTIZATION = Need(
    "quantization",
    "Quantization information",
    "Says which layers of the quantized model came from which of the original one.",
    frozenset(("quant-info",)),
    "AMCT writes it beside the quantized model, as <prefix>_quant.json.",
    option="-q",
)
SCALES = Need(
    "scales",
    "Scale and offset record",
    "With it, codes are brought back to real values and measured.",
    frozenset(("record",)),
    "AMCT writes it as scale_offset_record.txt.",
    required=False,
    option="--scales",
)
ORIGINAL = Need(
    "original",
    "Float ONNX model",
    "The original model; where it can be run, the error that each node adds is exact and no estimate.",
    frozenset(("onnx",)),
    "Export it from the framework that the model was trained in.",
    "torch.onnx.export(model, inputs, 'model.onnx')",
    required=False,
)
# Beside a compiled model, whose graph is shown: the float model says what only it knows.
FLOAT_ORIGINAL = replace(
    ORIGINAL,
    label="Original model (ONNX or prototxt)",
    what="The float model. Of ONNX the nodes are run, so that the error that each adds is exact and no estimate.",
    kinds=frozenset(("onnx", "model")),
)
NETWORK = Need(
    "model",
    "Original network (prototxt)",
    "Says what flows where, which AMCT's quantization information does not: without it there is no verdict on a node.",
    frozenset(("model",)),
    "It is the network that was given to AMCT.",
    required=False,
    option="--model",
)
FLOAT_MODEL = replace(ORIGINAL, what="The model before it was quantized; it is run here.", required=True)
QUANTIZED_MODEL = Need(
    "quantized",
    "Quantized ONNX model",
    "The same model with QuantizeLinear and DequantizeLinear, or with quantized operators; it is run here.",
    frozenset(("onnx-quantized",)),
    "Quantize the float model with ONNX Runtime or export it from your tool.",
    "onnxruntime.quantization.quantize_static('model.onnx', 'int8.onnx', reader)",
)
INPUTS = Need(
    "inputs",
    "Inputs",
    "Values to run both models with; without them, random ones are taken, which shows less.",
    frozenset(("arrays", "array")),
    "Save a real, preprocessed input with numpy.savez under the names of the model's inputs.",
    "numpy.savez('inputs.npz', input=values)",
    required=False,
    also=frozenset(("raw", "raw-file")),
)
MODEL = Need(
    "model",
    "Model",
    "Shown as the graph; without one, the tensors stand in a chain.",
    _MODELS,
    "Any model whose tensors or operators have the names of the run's.",
    required=False,
    option="--model",
)
ANY_CANDIDATE = Need(
    "candidate",
    "Run in question",
    "A folder of tensors, an .npz, or a vendor's folder.",
    ANY_RUN,
    "Save a tensor under each name with numpy.savez, or a file per tensor in a folder.",
    "numpy.savez('run.npz', **tensors)",
    option="-m",
)
ANY_REFERENCE = replace(ANY_CANDIDATE, key="reference", label="Run to trust", option="-g")
_RUN_HERE: Final[frozenset[Kind]] = frozenset(("onnx", "onnx-quantized"))
FLOAT_RUN = replace(
    ANY_REFERENCE,
    what="Of the float model: a folder of tensors, an .npz, or the ONNX model itself, which is run here.",
    also=_RUN_HERE,
)
SIMULATOR = replace(
    ANY_CANDIDATE,
    key="simulator",
    label="Run of the simulator",
    what="The quantized model, simulated on this machine, or that ONNX model itself, which is run here.",
    option="--simulator",
    also=_RUN_HERE,
)
BOARD = replace(
    ANY_CANDIDATE,
    label="Run of the board",
    what="The quantized model on the device.",
    kinds=frozenset((*ANY_RUN, "npu", "npu-quantized")),
    also=_RUN_HERE,
)
BOARD_FUSION = replace(FUSION, required=False)
BOARD_QUANTIZATION = replace(QUANTIZATION, required=False)
RUN_INPUTS = replace(
    INPUTS,
    what="Values to run the models with that stand for runs; without them, random ones are taken, which shows less.",
    kinds=frozenset(),
    also=INPUTS.choices,
    option="--inputs",
)
TABLE = Need(
    "table",
    "Result table",
    "What another tool printed (msaccucmp, RKNN, Pulsar2, Horizon, tpu-mlir, visq …), or tensors.csv of an earlier "
    "comparison.",
    frozenset(("table",)),
    "Take the CSV, log or report as the tool wrote it.",
)
PAINTED_MODEL = replace(MODEL, what="The model that the table is about.", required=True, option="")
