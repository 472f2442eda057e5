"""The comparisons as data: what each needs, how to obtain that, and what is checked before the start.

To add one: a row in SCENARIOS, and run `python docs/tables.py`.
"""

from errorflow.case.scenarios import needs
from errorflow.case.scenarios.scenario import Need, Scenario
from errorflow.case.scenarios.setup import Setup

__all__ = ["SCENARIOS", "Need", "Scenario", "Setup", "scenario_of"]

# Of two that fit the same files, the first is the more telling.
SCENARIOS: tuple[Scenario, ...] = (
    Scenario(
        "npu",
        "NPU against the original model",
        "The offline model was not quantized and gives other results on the NPU than the original model.",
        (needs.NPU_RUN, needs.NPY_RUN, needs.FUSION, needs.FLOAT_ORIGINAL),
    ),
    Scenario(
        "quantized",
        "Quantized against original model",
        "Whether AMCT's quantization itself costs accuracy, before an NPU comes into play.",
        (needs.NPY_QUANTIZED_CANDIDATE, needs.NPY_RUN, needs.QUANTIZATION, needs.ORIGINAL, needs.NETWORK),
    ),
    Scenario(
        "npu-fake-quantized",
        "Quantized NPU against quantized model",
        "The quantized model is right in its framework and wrong on the NPU; compile it with fusion switched off.",
        (needs.NPU_QUANTIZED_RUN, needs.NPY_QUANTIZED_RUN, needs.FUSION, needs.SCALES, needs.FLOAT_ORIGINAL),
    ),
    Scenario(
        "npu-quantized",
        "Quantized NPU against the original model",
        "All of the way at once: quantization and NPU together against the original model.",
        (needs.NPU_QUANTIZED_RUN, needs.NPY_RUN, needs.FUSION, needs.QUANTIZATION, needs.SCALES, needs.FLOAT_ORIGINAL),
    ),
    Scenario(
        "npu-npu",
        "NPU against NPU",
        "Another CANN version, another chip, or fusion on and off: whether anything moved.",
        (needs.NPU_AFTER, needs.NPU_BEFORE, needs.OPEN_FUSION, needs.CLOSED_FUSION, needs.MODEL),
        together=frozenset(("fusion", "closed_fusion")),
    ),
    Scenario(
        "onnx",
        "Float against quantized ONNX",
        "Two ONNX models, and no runs yet: both are run here.",
        (needs.FLOAT_MODEL, needs.QUANTIZED_MODEL, needs.INPUTS),
    ),
    Scenario(
        "three-way",
        "Float, simulator, board",
        "Whether quantization is at fault or the board: the stage that loses is named.",
        (
            needs.FLOAT_RUN,
            needs.SIMULATOR,
            needs.BOARD,
            needs.MODEL,
            needs.BOARD_FUSION,
            needs.BOARD_QUANTIZATION,
            needs.SCALES,
            needs.RUN_INPUTS,
        ),
    ),
    Scenario(
        "runs",
        "Any two runs",
        "Tensors from any two places: .npy, .npz, raw files or a vendor's folder, matched by their names.",
        (needs.ANY_CANDIDATE, needs.ANY_REFERENCE, needs.MODEL),
    ),
    Scenario(
        "table",
        "A result table",
        "Another tool has measured already, and its numbers are to be seen on the model.",
        (needs.TABLE, needs.PAINTED_MODEL),
    ),
)


def scenario_of(key: str) -> Scenario | None:
    return next((row for row in SCENARIOS if row.key == key), None)
