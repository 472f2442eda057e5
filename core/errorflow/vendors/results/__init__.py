"""Tables of results that other tools left behind, each number under its own definition.

To add a table: one module with an `Importer`, one line below, a sample in tests/data/results, a row in
docs/formats/result-tables.md.
"""

from pathlib import Path

from errorflow.base.errors import UnknownFormatError
from errorflow.base.files import Source
from errorflow.base.progress import SILENT, Progress
from errorflow.vendors.results.amct import AMCT_HISTORY, AMCT_RANKING, AMCT_SETTING
from errorflow.vendors.results.horizon_build import HORIZON_BUILD
from errorflow.vendors.results.horizon_qat import HORIZON_QAT
from errorflow.vendors.results.horizon_sensitivity import HORIZON_SENSITIVITY
from errorflow.vendors.results.mapping import MAPPING
from errorflow.vendors.results.msaccucmp import MSACCUCMP
from errorflow.vendors.results.msprobe_dump import MSPROBE_DUMP
from errorflow.vendors.results.msprobe_graph import MSPROBE_GRAPH
from errorflow.vendors.results.own import OWN_NODES, OWN_TENSORS
from errorflow.vendors.results.ppq import PPQ
from errorflow.vendors.results.pulsar2 import PULSAR2
from errorflow.vendors.results.pulsar2_chart import PULSAR2_CHART
from errorflow.vendors.results.rknn import RKNN
from errorflow.vendors.results.rknn_proposal import RKNN_PROPOSAL
from errorflow.vendors.results.rknn_v1 import RKNN_V1
from errorflow.vendors.results.table import Column, Importer, ResultRow, ResultTable
from errorflow.vendors.results.tpu_search import TPU_QTABLE, TPU_SEARCH
from errorflow.vendors.results.tpu_table import TPU_CONSOLE, TPU_CSV
from errorflow.vendors.results.visq import VISQ

__all__ = ["RESULTS", "Column", "Importer", "ResultRow", "ResultTable", "importer_of", "read_results"]

# The most certain marks first: a log may mention another tool.
RESULTS: tuple[Importer, ...] = (
    MSPROBE_GRAPH,
    OWN_TENSORS,
    OWN_NODES,
    MSACCUCMP,
    MAPPING,
    TPU_CSV,
    AMCT_RANKING,
    AMCT_HISTORY,
    AMCT_SETTING,
    MSPROBE_DUMP,
    VISQ,
    RKNN_PROPOSAL,
    RKNN,
    RKNN_V1,
    PULSAR2_CHART,
    PULSAR2,
    HORIZON_QAT,
    HORIZON_BUILD,
    HORIZON_SENSITIVITY,
    TPU_SEARCH,
    TPU_QTABLE,
    TPU_CONSOLE,
    PPQ,
)


def importer_of(source: Source) -> Importer | None:
    """Who reads this file, by its content; None: it holds no results that are known here."""
    return next((row for row in RESULTS if row.claims(source)), None)


def read_results(path: str | Path, progress: Progress = SILENT) -> tuple[ResultTable, ...]:
    """The tables in a file, at least one."""
    with Source(path) as source:
        importer = importer_of(source)
        if importer is not None:
            return importer.read(source, progress)
    known = ", ".join(row.label for row in RESULTS)
    raise UnknownFormatError(
        f"{Path(path).name} holds no results of a tool that is known here.", f"Known are: {known}."
    )
