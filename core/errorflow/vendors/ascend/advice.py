"""Advice on ATC, AMCT, msaccucmp."""

from errorflow.explain.blame.advice import VendorAdvice
from errorflow.explain.blame.model import Advice

_ROWS = (
    Advice(
        "float node error: Ascend",
        "Give ATC another --precision_mode, then a --fusion_switch_file; if neither helps, send the node's inputs, "
        "outputs and logs to support.",
        "An error on one node that is in float is one of the operator or of the conversion.",
        "Ascend, accuracy comparison of Caffe models: locating the accuracy issue in model conversion",
        "few nodes bring the error of the output, and nothing of the candidate was quantized",
        "Ascend",
    ),
    Advice(
        "node error: Ascend",
        "Take the node out of quantization in AMCT's configuration; if it is none that was quantized, send its inputs, "
        "outputs and logs to support.",
        "An error on one node that quantization cannot explain is one of the operator or of the conversion.",
        "Ascend, accuracy comparison of Caffe models: locating the accuracy issue in model conversion",
        "few nodes bring the error of the output",
        "Ascend",
    ),
    Advice(
        "node error: AMCT",
        "Let accuracy_based_auto_calibration search for the layers to roll back, with your own measure of accuracy.",
        "It ranks the layers by sensitivity and finds the shortest list whose return to float is enough.",
        "AMCT, accuracy_based_auto_calibration: description and parameters",
        "few nodes bring the error of the output, and AMCT quantized the model",
        "Ascend",
    ),
    Advice(
        "accumulated error: Ascend",
        "Quantize again with other settings; use 10 to 100 inputs that are like the real ones, and keep the first and "
        "the last layers in float.",
        "Small losses in many operators come from quantization as a whole.",
        "Ascend, accuracy comparison of Caffe models: locating the accuracy issue in the quantization process",
        "many nodes bring the error of the output",
        "Ascend",
    ),
)
ASCEND = VendorAdvice(
    "Ascend", _ROWS, frozenset({"TransData", "AscendQuant", "AscendDequant", "NetOutput", "Data"}), compares=True
)
ROWS = (ASCEND,)
