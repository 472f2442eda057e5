"""The columns that `-alg` asks for: msaccucmp's own by name or number, and those that the user brings along."""

from argparse import Namespace

from errorflow.base.errors import UsageError
from errorflow.compare.comparer import ToolColumn, msaccucmp
from errorflow.compare.match.codes import NO_ALGORITHM, RefusedError


def columns_of(options: Namespace) -> tuple[ToolColumn, ...]:
    """Reads columns in the order of the table."""
    try:
        return msaccucmp().columns(options.algorithm, options.custom_script_path)
    except UsageError as error:
        raise RefusedError(error.message, error.hint, NO_ALGORITHM) from error
