"""Definitions of what ONNX Runtime's qdq_loss_debug counts."""

from errorflow.compare.metrics.definitions.definition import Definition, same

ONNX_RUNTIME: tuple[Definition, ...] = (
    Definition(
        "ort.xmodel_err", "ONNX Runtime", "xmodel_err", "20 · log₁₀(‖r‖ / ‖c − r‖)", True, "accumulated", "sqnr", same
    ),
    Definition(
        "ort.qdq_err",
        "ONNX Runtime",
        "qdq_err",
        "20 · log₁₀(‖r‖ / ‖c − r‖)",
        True,
        "local",
        "sqnr",
        same,
        "Called an error and is a ratio where more is better; it is the rounding of this tensor alone.",
    ),
)
ROWS = ONNX_RUNTIME
