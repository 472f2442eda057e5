"""Sophgo: tpu-mlir."""

from typing import TYPE_CHECKING

from errorflow.base.vendor import Vendor

if TYPE_CHECKING:
    from errorflow.compare.results.table import Importer
    from errorflow.report.toolchains.model import Toolchain


def _results() -> "tuple[Importer, ...]":
    from errorflow.vendors.sophgo.results.search import TPU_QTABLE, TPU_SEARCH
    from errorflow.vendors.sophgo.results.table import TPU_CONSOLE, TPU_CSV

    return (TPU_CSV, TPU_SEARCH, TPU_QTABLE, TPU_CONSOLE)


def _toolchains() -> "tuple[Toolchain, ...]":
    from errorflow.vendors.sophgo.toolchains import TPU_MLIR

    return (TPU_MLIR,)


SOPHGO = Vendor("sophgo", results=_results, toolchains=_toolchains)
