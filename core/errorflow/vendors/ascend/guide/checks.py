"""Thresholds of Ascend's guides alone."""

from errorflow.guides.checks import ASCEND, of_number
from errorflow.guides.model import Check, Checked, SeenResult

# How many images calibrate.
FEWEST, MOST = 10, 100
IMAGES = (("calibration_images", "Images that calibrated"),)


def _images(_: SeenResult, count: float) -> Checked:
    if count < FEWEST:
        return Checked("failed", f"{count:,.0f} are too few: 10 to 100 are usual.")
    if count > MOST:
        return Checked("close", f"{count:,.0f} are more than the usual 10 to 100: it takes long and gains little.")
    return Checked("passed", f"{count:,.0f} are in the usual range of 10 to 100.")


IMAGE_COUNT = Check(
    "images",
    "Calibration images",
    "10 to 100",
    ASCEND,
    of_number("calibration_images", _images),
    asked=IMAGES,
    aside=True,
)
CHECKS = (IMAGE_COUNT,)
