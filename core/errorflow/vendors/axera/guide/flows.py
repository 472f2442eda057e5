"""Axera's Pulsar2: deployment first, then end to end, layer by layer, and what to do about either."""

import json
from dataclasses import replace

from errorflow.case.scenarios import needs
from errorflow.guides import checks, commands
from errorflow.guides.facts import NODE, Facts, word
from errorflow.guides.model import Do, Flow, GuideAnswer, How, Step, StepNeed, Way
from errorflow.guides.parts import ALIGN, CONCLUDE, conclude, decided, measure, samples
from errorflow.vendors.axera.guide import checks as own


def _text(data: object) -> str:
    return json.dumps(data, indent=4, ensure_ascii=False) + "\n"


def pulsar2(facts: Facts, method: str, size: int, calibration: str = "MinMax", **more: object) -> str:
    """A build with the analysis of precision; `more` goes into `quant`."""
    del facts  # names are given on the command line
    inputs = {
        "tensor_name": "DEFAULT",
        "calibration_dataset": "calibration.tar",
        "calibration_format": "Numpy",
        "calibration_size": size,
    }
    quant = {
        "input_configs": [inputs],
        "calibration_method": calibration,
        "precision_analysis": True,
        "precision_analysis_method": method,
        "precision_analysis_mode": "Reference",
        **more,
    }
    return _text({"model_type": "ONNX", "npu_mode": "NPU1", "quant": quant, "compiler": {"check": 0}})


def wide_layers(names: tuple[str, ...] = ()) -> list[dict[str, object]]:
    """The entry that gives layers 16 bits; without names, the whole model."""
    if names:
        return [{"layer_names": list(names), "data_type": "U16"}]
    return [{"start_tensor_names": ["DEFAULT"], "end_tensor_names": ["DEFAULT"], "data_type": "U16"}]


def plain_processors(_: Facts) -> str:
    """Inputs and outputs of the compiled model are those of the float model, so that nothing else can differ."""
    inputs = {
        "tensor_name": "DEFAULT",
        "tensor_format": "BGR",
        "tensor_layout": "NCHW",
        "src_format": "BGR",
        "src_dtype": "FP32",
        "src_layout": "NCHW",
        "mean": [0, 0, 0],
        "std": [1, 1, 1],
    }
    return _text({"input_processors": [inputs], "output_processors": [{"tensor_name": "DEFAULT"}]})


SOURCE = "Pulsar2: accuracy tuning suggestions"
# Pulsar2's guide asks for the measurement and names no threshold.
_LOSS = replace(checks.LOSS, source="Ascend's threshold; Pulsar2's guide names none")
_FAE = "The ticket for FAE: float ONNX model, a test of one picture, config.json, a minimal dataset, the command."
_TABLE = (
    "The table is quant/debug/precision_analysis_table.txt in the build's output folder; the console cuts long names "
    "off."
)
_NAMES = "Name all layers below 99.9 %, as frontend/optimized.onnx in the build's output folder calls them."
_WANTED_MODEL = StepNeed(needs.PAINTED_MODEL)


def _build_call(facts: Facts, config: str, folder: str) -> str:
    """`folder`: each build has one of its own, or it would write over the table of the one before."""
    return f"pulsar2 build --input {word(facts.model)} --output_dir {folder} --config {config}"


def _open(name: str) -> Do:
    """The table of that build."""
    call = f"errorflow results output_{name}/quant/debug/precision_analysis_table.txt"
    return Do("Open the table", where="Compare… → A result table", call=lambda _: call)


def _build(name: str, method: str, size: int, calibration: str = "MinMax", **more: object) -> tuple[How, How]:
    file = f"pulsar2_{name}.json"

    def text(facts: Facts) -> str:
        return pulsar2(facts, method, size, calibration, **more)

    def build(facts: Facts) -> str:
        return _build_call(facts, file, f"output_{name}")

    note = "calibration.tar holds preprocessed .npy files; for pictures say calibration_mean and calibration_std."
    return (
        How(f"Configuration of the build: {method}, {calibration}", "file", text, lambda _: file, note),
        How("Build with it", "command", build),
    )


def _table(*how: How) -> tuple[StepNeed, ...]:
    return (StepNeed(needs.TABLE, how), _WANTED_MODEL)


def _deployment() -> Step:
    return Step(
        "deployment",
        "Deployment: pre- and postprocessing",
        "Much of what is taken for a loss by quantization happens before the model or behind it. The steps of training "
        "and board are set side by side for one picture.",
        (ALIGN,),
        (
            Way("passed", "basics", "Both pipelines agree: the loss is one of the conversion."),
            Way(
                "failed",
                "deployment",
                "The pipelines part: mend the step that differs, and set them side by side again.",
            ),
        ),
        checks=(checks.ALIKE,),
        advice=(
            "Save the original input, the preprocessed data, the model's output and the result on both sides.",
            "Elements of inputs may differ by less than 0.0001, those of results by less than 0.001.",
        ),
        how=(
            How(
                "Part of the configuration that keeps inputs and outputs as the float model has them",
                "file",
                plain_processors,
                lambda _: "pulsar2_plain_io.json",
                "While you look for the loss; its keys go beside quant.",
            ),
        ),
        by_hand=True,
    )


def _basics() -> Step:
    return Step(
        "basics",
        "Settings and calibration data",
        "Three faults are more usual than any quantization error, and looked at first.",
        (),
        (
            Way("passed", "endtoend", "Settings and data are right: the whole model is measured end to end."),
            Way("failed", "basics", "Mend what is wrong, build again, and look again."),
        ),
        checks=(checks.SETTLED,),
        advice=(
            "calibration_mean and calibration_std in quant.input_configs are those of training, if pictures calibrate.",
            "tensor_format in input_processors has the order of channels of training: BGR or RGB.",
            "The calibration pictures are like those of the task, and enough to cover all classes.",
        ),
        by_hand=True,
    )


def _end_to_end(
    key: str, title: str, why: str, build: str, how: tuple[How, ...], good: Way, bad: Way, *advice: str
) -> Step:
    return Step(
        key,
        title,
        why,
        (_open(build),),
        (good, bad),
        "table",
        _table(*how),
        (own.LAST_LAYER, own.OUTLIERS),
        (_TABLE, *advice),
    )


def _steps() -> tuple[Step, ...]:
    board = Way("passed", "board", "The last layer is at least at 98 %: accuracy is measured on the board.")
    return (
        _deployment(),
        _basics(),
        _end_to_end(
            "endtoend",
            "End to end with 32 samples and MinMax",
            "The whole quantized model is simulated; the cosine similarity of its last layer says whether it is good.",
            "endtoend",
            _build("endtoend", "EndToEnd", own.CALIBRATION_SIZE),
            board,
            Way("failed", "method", "The last layer is below 98 %: other methods of calibration are tried."),
        ),
        _end_to_end(
            "method",
            "Other methods of calibration: MSE, Percentile",
            "All layers share the method, so that a better one helps all of them.",
            "mse",
            (
                *_build("mse", "EndToEnd", own.CALIBRATION_SIZE, "MSE"),
                *_build("percentile", "EndToEnd", own.CALIBRATION_SIZE, "Percentile"),
            ),
            board,
            Way("failed", "perlayer", "No method brings it to 98 %: single layers are looked at."),
            "Open the better of both tables.",
        ),
        _per_layer(),
        _wide(),
        _end_to_end(
            "again",
            "End to end once more",
            "With more bits where they were missing: whether the whole model is good now.",
            "again",
            _with_wide_layer("again", "EndToEnd", own.CALIBRATION_SIZE),
            board,
            Way("failed", "smooth", "It is still below 98 %: outliers and the other methods of calibration are left."),
            "Layers that got 16 bits keep them: name them in layer_configs again.",
        ),
        _smooth(),
        _board(),
        _backend(),
        conclude("What could not be tuned goes to FAE with all that they ask for.", _FAE),
    )


def _per_layer() -> Step:
    return Step(
        "perlayer",
        "Layer by layer with one sample",
        "Each layer is fed with what the float model makes, so that only its own error is seen. All should be at least "
        "at 99.9 %.",
        (_open("perlayer"),),
        (
            Way("passed", "again", "Every layer is good by itself: the error comes together along the model."),
            Way("exhausted", CONCLUDE, "The layer has 16 bits already: it goes to FAE."),
            Way("failed", "wide", "Layers below 99.9 % get 16 bits."),
        ),
        "table",
        _table(*_build("perlayer", "PerLayer", 1)),
        (own.LAYERS, own.WIDE, own.OUTLIERS),
        (_TABLE, "PerLayer says nothing of the whole model: 0.9997 here can be 0.45 end to end."),
    )


def _export(facts: Facts) -> str:
    return commands.export(facts, "pulsar2")


def _with_wide_layer(name: str, method: str, size: int) -> tuple[How, How]:
    file, whole = f"pulsar2_{name}.json", method == "EndToEnd"

    def text(facts: Facts) -> str:
        if whole and facts.node == NODE:  # it is also built where no layer needed more bits
            return pulsar2(facts, method, size)
        return pulsar2(facts, method, size, layer_configs=wide_layers((facts.node,)))

    def build(facts: Facts) -> str:
        return _build_call(facts, file, f"output_{name}")

    return (
        How("Configuration of the build: 16 bits for the layer", "file", text, lambda _: file, _NAMES),
        How("Build with it", "command", build),
    )


def _wide() -> Step:
    return Step(
        "wide",
        "16 bits for the layers below",
        "A layer that loses by itself needs more bits. layer_configs gives them to it by name.",
        (Do("Export the setting", "decision.export", "Improve → Export the decision → Pulsar2", _export),),
        (
            Way(
                "passed", "perlayer", "The build has 16 bits where they were missing: look whether all layers are good."
            ),
            Way("failed", CONCLUDE, "The build does not take it, or nothing changes: it goes to FAE."),
        ),
        checks=(checks.SETTLED, checks.SIMULATED),
        advice=(
            _NAMES,
            "Where the table still says U8, the operator was merged by the front end, or only moves data, or its "
            "reader has 8 bits: the latter costs no accuracy.",
        ),
        how=(
            *_with_wide_layer("u16_layers", "PerLayer", 1),
            decided("pulsar2-u8", bits=16),
            *_build("u16_all", "EndToEnd", own.CALIBRATION_SIZE, layer_configs=wide_layers()),
        ),
        by_hand=True,
    )


def _outliers(facts: Facts) -> str:
    return commands.on_samples("outliers", facts, "--weights", "-out", "outliers")


def _smooth() -> Step:
    method = _build("smooth", "EndToEnd", own.CALIBRATION_SIZE, "MinMax", enable_smooth_quant=True)
    kl = _build("kl", "EndToEnd", own.CALIBRATION_SIZE, "KL")
    return Step(
        "smooth",
        "Outliers: SmoothQuant, and the last methods of calibration",
        "Channels that drown beside a loud one lose their bits. SmoothQuant moves what is loud into the weights.",
        (_open("smooth"), Do("Look for outliers", "panel.outliers", "Improve → Outliers", _outliers)),
        (
            Way("passed", "board", "The last layer is at least at 98 %: accuracy is measured on the board."),
            Way("failed", CONCLUDE, "All that can be set was tried: it goes to FAE."),
        ),
        "table",
        _table(*method, *kl),
        (own.LAST_LAYER, own.OUTLIERS),
        ("The log of the build prints “Ratio of outliers in tensor” where there are many of them.",),
    )


def _evaluate(facts: Facts) -> str:
    return commands.on_samples("evaluate", facts, "--labels", word(facts.labels), "--preset", "pulsar2-u8")


def _board() -> Step:
    return Step(
        "board",
        "Accuracy on the dataset",
        "Cosine similarity is not the accuracy of the task: the compiled model is measured on the dataset.",
        (measure(_evaluate),),
        (
            Way("passed", CONCLUDE, "The task is met."),
            Way("failed", "backend", "The numbers were good and the board is not: simulation and board may differ."),
        ),
        wanted=samples(),
        checks=(_LOSS,),
        advice=("Measure the float model and the compiled model on the same labelled data, and write both down.",),
    )


def _backend() -> Step:
    how = _build("npubackend", "EndToEnd", own.CALIBRATION_SIZE, precision_analysis_mode="NPUBackend")
    return Step(
        "backend",
        "Reference against NPUBackend",
        "Both simulate the quantized model and are expected to be close. Where they part, an operator of the "
        "simulation is wrong.",
        (_open("npubackend"),),
        (
            Way(
                "passed",
                CONCLUDE,
                "Both simulations are good: the loss is outside the model, and goes to FAE with that.",
            ),
            Way("failed", CONCLUDE, "NPUBackend is worse than Reference: its detailed log goes to FAE."),
        ),
        "table",
        _table(*how),
        (own.LAST_LAYER,),
        ("Set it beside the table of Reference: a large difference is one of the toolchain.",),
    )


PULSAR2: tuple[Flow, ...] = (
    Flow(
        "pulsar2",
        "Axera Pulsar2: tune the accuracy",
        "You have an ONNX model that pulsar2 build quantized, and it lost accuracy.",
        "Axera",
        _steps(),
        {"target": "pulsar2"},
        "onnx",
        SOURCE,
    ),
)
TARGET = GuideAnswer("pulsar2", "Axera, with Pulsar2", "Quantized and compiled with pulsar2 build.")
