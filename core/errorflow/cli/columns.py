"""The columns that `-alg` asks for: msaccucmp's own by name or number, and those that the user brings along."""

from argparse import Namespace

from errorflow.base.errors import UsageError
from errorflow.compare.match.codes import NO_ALGORITHM
from errorflow.compare.match.refused import RefusedError
from errorflow.compare.metrics.custom import CustomColumn, custom_columns
from errorflow.compare.metrics.msaccucmp import Column, chosen


def columns_of(options: Namespace) -> tuple[Column | CustomColumn, ...]:
    """In the order of the table; words may be separated by commas or spaces. `all` means msaccucmp's, as there."""
    own = custom_columns(options.custom_script_path) if options.custom_script_path else ()
    known = {column.name: column for column in own}
    words = [word.strip() for text in options.algorithm for word in text.split(",") if word.strip()]
    found: dict[str, Column | CustomColumn] = {}
    try:
        for word in words if words else [""]:
            columns = (known[word],) if word in known else chosen(word)
            found |= {column.name: column for column in columns if column.name not in found}
    except UsageError as error:
        raise RefusedError(error.message, error.hint, NO_ALGORITHM) from error
    return tuple(found.values())


def key(column: Column | CustomColumn) -> int | str:
    """By which the column is asked for in `Options`."""
    return column.number if isinstance(column, Column) else column.name
