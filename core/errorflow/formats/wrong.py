"""Files that people open by mistake, each answered by name. To add one: a row, and a sample in the test."""

from errorflow.formats.format import WrongFile

WRONG_FILES: tuple[WrongFile, ...] = ()
