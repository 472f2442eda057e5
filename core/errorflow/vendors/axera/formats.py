"""Pulsar2's files that are no models, and are opened as such by mistake."""

from errorflow.formats.format import WrongFile
from errorflow.formats.wrong import KEYS, RESULTS, WORDS, json_key, text

ROWS = (
    WrongFile(
        "a Pulsar2 build setting",
        json_key("layer_configs", "input_configs", "calibration_method"),
        "It holds settings; open the ONNX model.",
        rank=KEYS,
    ),
    WrongFile(
        "a table of Pulsar2", text(r"Quant Precision Table|Layer Config Table|Ratio of outliers"), RESULTS, rank=WORDS
    ),
)
