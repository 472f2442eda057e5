"""Calibration: how ranges are found from what flowed through a tensor. To add a method: one file with a `Method`, one
line here.
"""

from errorflow.quant.calibrate.entropy import ENTROPY
from errorflow.quant.calibrate.minmax import MINMAX
from errorflow.quant.calibrate.moving_average import MOVING_AVERAGE
from errorflow.quant.calibrate.mse import MSE
from errorflow.quant.calibrate.percentile import PERCENTILES
from errorflow.quant.calibrate.seen import Method

METHODS: tuple[Method, ...] = (MINMAX, MOVING_AVERAGE, *PERCENTILES, MSE, ENTROPY)
