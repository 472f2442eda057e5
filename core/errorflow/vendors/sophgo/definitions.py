"""The tables of tpu-mlir."""

from errorflow.compare.metrics.definitions.definition import COSINE, HIDES_NAN, OUTPUT, Definition, complement, same

TPU_MLIR: tuple[Definition, ...] = (
    Definition("tpu-mlir.cos", "tpu-mlir", "sim_cos", COSINE, True, "accumulated", "cosine", same, HIDES_NAN),
    Definition(
        "tpu-mlir.euc",
        "tpu-mlir",
        "sim_euc",
        "1 − ‖c − r‖ / (‖(c + r) / 2‖ + 1e−7)",
        True,
        "accumulated",
        misleads=f"Called a distance and is a similarity; it can be below 0. {HIDES_NAN}",
    ),
    Definition(
        "tpu-mlir.sqnr",
        "tpu-mlir",
        "sqnr",
        "10 · log₁₀(Σ (r − mean r)² / Σ ((c − mean c) − (r − mean r))²)",
        True,
        "accumulated",
        misleads=f"Both means are taken off first: an offset, such as a wrong zero point, is not seen. {HIDES_NAN}",
    ),
    Definition(
        "tpu-mlir.loss",
        "tpu-mlir",
        "loss",
        "1 − cosine of the model's output",
        False,
        "impact",
        "cosine",
        complement,
        OUTPUT,
    ),
    Definition(
        "tpu-mlir.mape",
        "tpu-mlir",
        "mape",
        "mean of abs(c − r), over abs(r) where that is at least 1",
        False,
        "accumulated",
        misleads="Absolute for small references and relative for others, added up. Tensors that only the quantized "
        "model has are copies and look perfect.",
    ),
)
ROWS = TPU_MLIR
