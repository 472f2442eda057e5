"""Tools that every room may use: errors, files, progress, languages, processes; here is what most modules take."""

from errorflow.base.errors import ErrorflowError, FileError, FormatError, UsageError, WrongFileError, one_line
from errorflow.base.progress import SILENT, Progress, stepwise
from errorflow.base.values import dataclass, field, fields, replace

__all__ = (
    "SILENT",
    "ErrorflowError",
    "FileError",
    "FormatError",
    "Progress",
    "UsageError",
    "WrongFileError",
    "dataclass",
    "field",
    "fields",
    "one_line",
    "replace",
    "stepwise",
)
