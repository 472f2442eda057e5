"""Visq's files that are no models, and are opened as such by mistake."""

from errorflow.formats.format import WrongFile
from errorflow.formats.wrong import KEYS, json_key

ROWS = (WrongFile("a visq result", json_key("colorscheme"), "It holds results; open the model first.", rank=KEYS),)
