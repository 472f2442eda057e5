"""PPQ's files that are no models, and are opened as such by mistake."""

from errorflow.formats.format import WrongFile
from errorflow.formats.wrong import RESULTS, WORDS, text

ROWS = (WrongFile("a table of PPQ", text(r"NOISE:SIGNAL POWER RATIO"), RESULTS, rank=WORDS),)
