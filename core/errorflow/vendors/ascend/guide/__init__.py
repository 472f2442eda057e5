"""Ascend's method, step by step, with its scripts and settings."""

from errorflow.vendors.ascend.guide.checks import CHECKS
from errorflow.vendors.ascend.guide.flows import ASCEND
from errorflow.vendors.ascend.guide.npu_npu import NPU_NPU
from errorflow.vendors.ascend.guide.questions import QUESTIONS, TARGET

ROWS = (*ASCEND, *NPU_NPU, *QUESTIONS, TARGET, *CHECKS)
