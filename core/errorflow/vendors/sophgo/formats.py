"""Tpu-mlir's files that are no models, and are opened as such by mistake."""

from errorflow.formats.format import WrongFile
from errorflow.formats.wrong import RESULTS, WORDS, text

ROWS = (
    WrongFile(
        "a log or table of tpu-mlir",
        text(r"quantize_mode|sensitive layer, loss is|cosine_similarity +="),
        RESULTS,
        rank=WORDS,
    ),
)
