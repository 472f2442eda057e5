"""Sophgo: tpu-mlir."""

from errorflow.base.vendor import Ranked, Vendor


def _results() -> tuple[Ranked, ...]:
    from errorflow.vendors.sophgo.results.search import TPU_QTABLE, TPU_SEARCH
    from errorflow.vendors.sophgo.results.table import TPU_CONSOLE, TPU_CSV

    return (TPU_CSV, TPU_SEARCH, TPU_QTABLE, TPU_CONSOLE)


def _definitions() -> tuple[Ranked, ...]:
    from errorflow.vendors.sophgo.definitions import TPU_MLIR

    return TPU_MLIR


def _toolchains() -> tuple[Ranked, ...]:
    from errorflow.vendors.sophgo.toolchains import TPU_MLIR

    return (TPU_MLIR,)


SOPHGO = Vendor("sophgo", results=_results, definitions=_definitions, toolchains=_toolchains)
