"""RKNN's files that are no models, and are opened as such by mistake."""

from errorflow.formats.format import WrongFile
from errorflow.formats.wrong import RESULTS, WORDS, starts, text

ROWS = (
    WrongFile("an RKNN model", starts(b"RKNN", b"\0RKNN"), "Open the ONNX model that it was built from."),
    WrongFile(
        "a result of RKNN's accuracy analysis",
        text(r"simulator_error|quant_error:|e(cu|uc)lidean(_norm)?="),
        RESULTS,
        rank=WORDS,
    ),
)
