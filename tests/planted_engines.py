"""Engines on the built-in samples, calibrated and fed as a simulation does it."""

import numpy as np

from errorflow.base.sample import Sample
from errorflow.formats import read_model
from errorflow.quant.calibrate.asked import methods_of
from errorflow.quant.precision import Precision
from errorflow.run.calibrating import CalibrationRequest, calibrate
from errorflow.run.engine.engine import Engine
from errorflow.run.samples.asked import SampleSpec

CALIBRATED, EVALUATED = 48, 8


def opened(sample: Sample) -> Engine:
    graph = read_model(sample.model).graph
    asked = SampleSpec((str(sample.calibration),))
    found = calibrate(
        sample.model, graph, asked, CalibrationRequest(methods_of(["minmax"]), Precision("int8"), CALIBRATED)
    )
    with np.load(sample.calibration) as archive:
        name = archive.files[0]
        rest = archive[name][CALIBRATED : CALIBRATED + EVALUATED]
    return Engine(sample.model, [{name: one[np.newaxis]} for one in rest], found.calibrations[0])
