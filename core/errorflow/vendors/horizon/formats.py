"""Files of Horizon's tools that are no models, and are opened as such by mistake."""

from errorflow.formats.format import WrongFile
from errorflow.formats.wrong import RESULTS, WORDS, text

ROWS = (
    WrongFile(
        "a log or table of Horizon's tools",
        text(r"converted model node information|=====node=====|Suffix '\(I\)'|Input/Output/Attr"),
        RESULTS,
        rank=WORDS,
    ),
)
