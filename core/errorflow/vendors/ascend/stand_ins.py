"""Packages of AMCT (`amct_onnx`, `amct_caffe` …), which files with an evaluator for it import."""

from errorflow.study.evaluate.own_file import StandIn

_BASES = (
    "AutoCalibrationEvaluatorBase",
    "AutoCalibrationStrategyBase",
    "BinarySearchStrategy",
    "SensitivityBase",
    "CosineSimilaritySensitivity",
)
ROWS = (StandIn("AMCT", "amct_", frozenset(_BASES)),)
