"""What one of the two found: a session, whose runs are measured again, or a table that was written before."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from errorflow.blame.model import ExactParts
from errorflow.compare.model import Comparison, Row
from errorflow.compare.options import Options
from errorflow.compare.placed import side_of
from errorflow.compare.simulated_table import is_simulated_table, read_simulated_table
from errorflow.compare.table_file import is_tensor_table, read_tensor_table
from errorflow.errors import FileError, UsageError, WrongFileError
from errorflow.files import Source, is_folder
from errorflow.findings.model import Findings
from errorflow.formats import read_model
from errorflow.graph.model import Model
from errorflow.match.by_hand import with_hand_pairs
from errorflow.match.model import Match, Pair
from errorflow.progress import SILENT, Progress
from errorflow.sample import sample_of
from errorflow.scenarios import scenario_of
from errorflow.scenarios.chain import chain_of
from errorflow.scenarios.measure import measure, original_of
from errorflow.scenarios.prepare import Prepared, import_table, prepare
from errorflow.scenarios.setup import Setup
from errorflow.session.file import MARK, read_session
from errorflow.session.known import Known
from errorflow.session.marks import mark_of
from errorflow.session.model import Session, Simulation
from errorflow.session.moved import missing
from errorflow.session.results import beside, recall, recall_known
from errorflow.simulate.bench import Bench
from errorflow.simulate.floated import floated
from errorflow.simulate.outcome import simulate
from errorflow.stages.compare import Three

# What `errorflow compare` and `errorflow simulate` call their tables.
TABLE = "tensors.csv"
# Files that are not there, of which so many are named.
_NAMED = 3
_AGAIN = "Open it in the window, compare two runs or simulate the model, and save it."


@dataclass(frozen=True, eq=False)
class Side:
    """What was found, on a graph of its own."""

    path: Path
    findings: Findings
    # What was compared, in words; "": nobody wrote it down.
    about: str = ""
    # None: it came from a table.
    session: Session | None = None
    problems: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What it is called beside another one."""
        return self.path.stem


def is_result(path: Path) -> bool:
    """Whether a file or folder is a session, or holds a table of tensors; asks for a few bytes only."""
    if is_folder(path):
        return (path / TABLE).is_file()
    with Source(path) as source:
        head = source.head[:200].decode("utf-8", "replace")
        return _is_session(head) or is_tensor_table(source) or is_simulated_table(source)


def is_session(path: Path) -> bool:
    if is_folder(path):
        return False
    with Source(path) as source:
        return _is_session(source.head[:200].decode("utf-8", "replace"))


def open_side(path: Path, progress: Progress = SILENT) -> Side:
    """Everything that a session is about is measured again, but for what was kept beside it."""
    table = path / TABLE if is_folder(path) else path
    with Source(table) as source:
        if is_simulated_table(source):
            return _of_table(path, read_simulated_table(source))
        if is_tensor_table(source):
            return _of_table(path, read_tensor_table(source, progress))
        if not _is_session(source.head[:200].decode("utf-8", "replace")):
            raise WrongFileError(
                f"{path.name} is neither a session nor a table of tensors.",
                "Give a file that ends with .errorflow, or the folder that `errorflow compare` wrote.",
            )
    opened = read_session(path)
    lost = missing(opened.session)
    if lost:
        raise FileError(
            f"{path.name} needs files that are not where they were: {', '.join(each.name for each in lost[:_NAMED])}.",
            "`errorflow session FILE --look-in FOLDER` finds them by their names.",
        )
    found, about = measured(opened.session, path, progress)
    return Side(path, found, about, opened.session, opened.problems)


def measured(session: Session, path: Path | None = None, progress: Progress = SILENT) -> tuple[Findings, str]:
    """What a session is about, and that in words. `path`: where it lies, beside which results may have been kept."""
    if session.simulation is not None and session.model is not None:
        return _simulated(session.model, session.simulation, progress), f"{session.model.name}, simulated"
    setup = _setup(session)
    if setup is None or not setup.files:
        name = "The session" if path is None else path.name
        raise UsageError(f"{name} compares nothing.", _AGAIN)
    row = scenario_of(setup.scenario)
    return _compared(setup, session, path, progress), "" if row is None else row.title


def _setup(session: Session) -> Setup | None:
    """What is compared; of a sample, whose runs nobody needs to name, its own."""
    sample = None if session.model is None else sample_of(session.model)
    if session.setup is not None or sample is None:
        return session.setup
    files = {"candidate": sample.candidate_run, "reference": sample.reference_run, "model": sample.model}
    return Setup("runs", files)


def _is_session(head: str) -> bool:
    return head.lstrip("\ufeff \t\r\n").startswith("{") and json.dumps(MARK) in head


def _simulated(path: Path, simulation: Simulation, progress: Progress) -> Findings:
    basis, plan = simulation.basis, simulation.plan
    with floated(path, basis.reference, progress) as model, Bench.open(model, basis, plan, progress=progress) as bench:
        return simulate(bench.engine, bench.plan, progress=progress).findings


def _compared(setup: Setup, session: Session, path: Path | None, progress: Progress) -> Findings:
    table = setup.file("table")
    if table is not None:
        graph = _shown(setup, session, progress).graph
        return Findings.of(graph, import_table(table, graph, progress))
    known = _known(setup, session, path, progress)
    if known is not None and known.match is not None and not session.hand_pairs:
        model = _shown(setup, session, progress)
        if known.parts is not None or original_of(setup, model) is None:
            return _found(known.match, model, setup, dict(enumerate(known.rows)), known.parts, None, progress)
    # Models that are run leave their tensors in a folder that is gone with this.
    with TemporaryDirectory(prefix="errorflow-", ignore_cleanup_errors=True) as place:
        return _measured(prepare(setup, progress, Path(place)), setup, session, known, path, progress)


def _known(setup: Setup, session: Session, path: Path | None, progress: Progress) -> Known | None:
    """What was kept beside the session of all that it depends on; of three runs that is not enough."""
    if path is None or setup.file("simulator") is not None:
        return None
    return recall_known(beside(path), mark_of(setup, _painted(setup, session), progress))


def _measured(
    prepared: Prepared, setup: Setup, session: Session, known: Known | None, path: Path | None, progress: Progress
) -> Findings:
    pairs = [(pair.candidate, pair.reference) for pair in session.hand_pairs]
    match = with_hand_pairs(prepared.match, pairs) if pairs else prepared.match
    model = prepared.made if prepared.made is not None else _shown(setup, session, progress)
    rows = {} if path is None else recall(beside(path), match, Options(), path.parent)
    parts = None if known is None or pairs else known.parts
    return _found(match, model, setup, rows, parts, prepared.three, progress)


def _found(
    match: Match,
    model: Model,
    setup: Setup,
    rows: Mapping[int, Row],
    parts: ExactParts | None,
    three: Three | None,
    progress: Progress,
) -> Findings:
    original = original_of(setup, model)
    sketch = measure(match, model.graph, original, known=rows, parts=parts, three=three, progress=progress)
    return Findings.of(model.graph, sketch.comparison, sketch.blame, side_of(model.graph, sketch.comparison))


def _painted(setup: Setup, session: Session) -> Path | None:
    return session.model if setup.shown is None else setup.shown


def _shown(setup: Setup, session: Session, progress: Progress) -> Model:
    path = _painted(setup, session)
    if path is None:
        raise UsageError("The session names no model.", "Open it in the window, choose one, and save it.")
    return read_model(path, progress)


def _of_table(path: Path, comparison: Comparison) -> Side:
    """On a graph that is made for it: tables do not tell what flows where, so that nobody can be judged."""
    graph = chain_of(Match(tuple(_pair(row) for row in comparison.rows)), path).graph
    return Side(path, Findings.of(graph, comparison))


def _pair(row: Row) -> Pair:
    return Pair(row.tensor, None, None, row.rule, row.note, node=row.node, op_type=row.op_type)
