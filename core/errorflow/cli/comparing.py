"""The work behind `errorflow compare`: match, measure, write, and say what came of it."""

import json
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from errorflow.base import ErrorflowError, Progress, UsageError, dataclass, replace
from errorflow.base.files import write_atomic
from errorflow.case.examine import examine
from errorflow.case.model import Case
from errorflow.case.scenarios.chain import is_chain
from errorflow.case.scenarios.setup import Setup
from errorflow.case.scenarios.three import check_runs, models_in
from errorflow.case.session.model import Session
from errorflow.case.values import Asking, MeasuringSetup, Prepared, Running
from errorflow.cli.as_session import save_session
from errorflow.cli.asked import counts, folder, narrowed, session_of, setup_of
from errorflow.cli.columns import columns_of
from errorflow.cli.hand_pairs import check_pairs
from errorflow.cli.meter import Meter, plain
from errorflow.cli.models import check_alone
from errorflow.cli.profile import check_profile, write_profile
from errorflow.cli.where import check_where, is_misspelt, where_data, where_lines
from errorflow.compare.comparer import msaccucmp
from errorflow.compare.executors import Cluster, PairExecutor
from errorflow.compare.journal import Journal
from errorflow.compare.limits import Limit, parse_limit
from errorflow.compare.match.batch import batch
from errorflow.compare.match.codes import LIMIT_BROKEN, NO_DUMP, OK, WRONG_OPTIONS, RefusedError
from errorflow.compare.match.model import Match
from errorflow.compare.match.plan import MatchPlan
from errorflow.compare.match.quantized.ops import DEQUANTIZE
from errorflow.compare.model import Comparison, Options
from errorflow.compare.pairs import crew_for, journal_in
from errorflow.compare.samples import lonely_samples, sample_paths, spread
from errorflow.compare.summary import ComparisonSummary, summarize
from errorflow.explain.blame.model import Blame
from errorflow.explain.difference.link import link
from errorflow.explain.difference.precision import NodePrecisions, RecordedPrecision, command_of
from errorflow.explain.findings.model import Findings
from errorflow.explain.stages.model import Stages
from errorflow.formats import read_model
from errorflow.formats.amct.record import read_record
from errorflow.formats.onnx.claims import can_be_run
from errorflow.graph.model import Model
from errorflow.report.advice import advise
from errorflow.report.blame import blame_data, blame_lines, blamed_csv, estimated
from errorflow.report.stages import stages_csv, stages_data, stages_lines
from errorflow.report.summary import samples_lines, summary_data, summary_lines
from errorflow.report.tables import ResultColumns, result_name, samples_csv, tensors_csv, write_result

# Names of each kind in a line.
SHOWN = 5
TENSORS, SUMMARY, SAMPLES, ADVICE = "tensors.csv", "summary.json", "samples.csv", "advisor_summary.txt"
NODES, STAGES = "nodes.csv", "stages.csv"


@dataclass(frozen=True, slots=True)
class _Done:
    """One comparison that was written down."""

    name: str
    match: Match
    comparison: Comparison
    summary: ComparisonSummary
    files: tuple[Path, ...]
    code: int
    # On the graph, where a file of the call holds it.
    findings: Findings | None = None
    stages: Stages | None = None
    # None: nothing of the graph was measured.
    blame: Blame | None = None
    # The nodes to be listed.
    where: str | None = None

    @property
    def data(self) -> dict[str, Any]:
        found = {} if self.blame is None else {"blame": blame_data(self.blame)}
        found |= {} if self.stages is None else {"stages": stages_data(self.stages)}
        return (
            summary_data(self.summary)
            | found
            | {
                "only in the reference": self.match.only_reference,
                "only in the candidate": self.match.only_candidate,
                "problems": [problem.text for problem in self.match.problems],
            }
        )


def limits_of(options: Namespace) -> list[Limit]:
    """The limits of a call; whatever else of it makes no sense is refused, too, before anything is run."""
    check_profile(options)
    check_where(options.where)
    check_pairs(options)
    return [parse_limit(text) for text in options.limit]


def one_case(options: Namespace) -> int:
    """Two runs, or three; models in place of runs are run first."""
    _check_models(options)
    with Meter() as meter:
        done = _compare(options, session_of(options), meter)
    return _say(options, [_saved(options, done)])


def _check_models(options: Namespace) -> None:
    """Refuses options that go with models only, or not with them."""
    setup = setup_of(options)
    given = (("-op", options.op_name), ("--samples", options.samples), ("-map", options.mapping))
    found = next((option for option, value in given if value), "")
    if options.simulator and found:
        raise UsageError(f"{found} does not go with --simulator.", "Leave one of them out.")
    if setup.scenario == "onnx":
        check_alone(options)
    elif (options.inputs or options.random is not None) and not models_in(setup):
        check_runs((setup.files["candidate"], setup.files["reference"]))
        sides = "-g or --simulator" if options.simulator else "-m or -g"
        raise UsageError("--inputs and --random are for models that are run.", f"Give a model with {sides}.")


def many_models(options: Namespace) -> int:
    """Several models that were dumped at the same time, each with its own result."""
    if options.op_name is not None:
        raise RefusedError("-op is about one model.", "Give one file with -f instead of a folder.", WRONG_OPTIONS)
    found = batch(Path(options.fusion_rule_file), Path(options.my_dump_path))
    done = []
    with Meter() as meter:
        for run in found:
            session = _session_with(options, candidate=run.candidate, fusion=run.fusion)
            done.append(_compare(options, session, meter, run.prefix))
    return _say(options, done)


def _session_with(options: Namespace, **files: Path) -> Session:
    """The session of a call with other files for some needs; all models were run by now."""
    session = session_of(options)
    assert session.setup is not None, "there is always one"
    return replace(session, setup=replace(session.setup, files=_without_inputs({**session.setup.files, **files})))


def _without_inputs(files: Mapping[str, Path]) -> dict[str, Path]:
    return {need: path for need, path in files.items() if need != "inputs"}


def samples(options: Namespace) -> int:
    """The same model on several inputs."""
    found: dict[str, _Done] = {}
    sides = Path(options.my_dump_path), Path(options.golden_dump_path)
    with Meter() as meter:
        for sample in sample_paths(*sides):
            session = _session_with(options, candidate=sample.candidate, reference=sample.reference)
            found[sample.name] = _compare(options, session, meter, f"{sample.name}_")
    path = Path(options.output) / SAMPLES
    write_atomic(path, samples_csv(spread({name: done.comparison for name, done in found.items()})), follow=False)
    if options.json:
        return _say(options, list(found.values()))
    print("\n".join(samples_lines({name: done.summary for name, done in found.items()})))
    for names, where in zip(lonely_samples(*sides), ("candidate", "reference"), strict=True):
        if names:
            print(f"Inputs that only the {where} has, not compared: {_some(names)}")
    print(f"Written: {path}, and of each input {TENSORS} and {SUMMARY}")
    return _first_code(found.values())


def _saved(options: Namespace, done: _Done) -> _Done:
    """Saves a session, and notes where."""
    blame = done.blame
    session = save_session(options, done.match, done.comparison, None if blame is None else blame.ran)
    return replace(done, files=(*done.files, *session))


def _compare(options: Namespace, session: Session, progress: Progress, prefix: str = "") -> _Done:
    """Matches, measures and writes."""
    limits, call = limits_of(options), _Call(options, session)
    asking = Asking(folder=call.out, narrowed=narrowed(options), running=how_of(options), work=call.measured)
    with examine(session, asking, progress) as case:
        done = _written_down(options, call, case, limits, prefix, progress)
    _write_data(done)
    call.forget()
    return done


class _Call:
    """Measuring of one call: msaccucmp's columns, processes, and a journal that an interrupted call leaves behind."""

    def __init__(self, options: Namespace, session: Session) -> None:
        assert session.setup is not None, "there is always one"
        self._options, self.setup, self.columns = options, session.setup, columns_of(options)
        self.out = Path(options.output)
        if "quantized" in self.setup.files or models_in(self.setup):
            folder(options)
        self.prepared: Prepared | None = None
        self._journal: Journal | None = None

    @contextmanager
    def measured(self, prepared: Prepared) -> Iterator[MeasuringSetup]:
        self.prepared = prepared
        options = self._measures(prepared.plan)
        folder(self._options)  # nothing is made for what is refused
        journal = journal_in(self.out, prepared.match, options, resume=self._options.resume)
        with journal as self._journal, _crew(self._options, prepared.match) as crew:
            yield MeasuringSetup(options, crew, self._journal)

    @property
    def plan(self) -> MatchPlan:
        assert self.prepared is not None, "it was measured"
        return self.prepared.plan

    @property
    def by_files(self) -> bool:
        """Whether files say what was fused or quantized, as msaccucmp takes them."""
        return any(self.setup.file(need) is not None for need in ("fusion", "quantization", "closed_fusion"))

    @property
    def overflow(self) -> bool:
        return bool(self._options.overflow_detection or _advises(self._options)) and self.plan.is_npu

    def table(self) -> ResultColumns:
        return ResultColumns(
            tuple(column.name for column in self.columns),
            my_address=self.plan.is_npu,
            golden_address=self.plan.is_npu_reference,
            knows_golden_address=not self.by_files,
            overflow=self.overflow,
            sequence=counts(self._options),
        )

    def forget(self) -> None:
        """The results are safe."""
        if self._journal is not None:
            self._journal.forget()

    def _measures(self, planned: MatchPlan) -> Options:
        options = self._options
        # As msaccucmp, which compares all values of two dumps of NPUs.
        most = options.max_cmp_size if options.max_cmp_size and self.by_files else None
        printer = msaccucmp().printer(self.columns, most, self.overflow, options.algorithm_options)
        return Options(printer if planned.by_tool else None, options.custom_script_path)


def how_of(options: Namespace) -> Running:
    """Reads how the call wants nodes to be run."""
    return "never" if options.estimate else "must" if options.exact else "try"


def _written_down(
    options: Namespace, call: _Call, case: Case, limits: Sequence[Limit], prefix: str, progress: Progress
) -> _Done:
    assert case.match is not None, "two runs were compared"
    comparison, findings, blame = case.comparison, _placed(case), case.blame
    match = replace(case.match, problems=(*options.notes, *case.match.problems))
    summary = summarize(comparison, outputs=case.outputs, in_part=blame is not None and blame.in_part, limits=limits)
    files = _written(call, prefix, comparison, {} if findings is None else findings.row_shares)
    if findings is not None:
        files.append(call.out / f"{prefix}{NODES}")
        precisions = precisions_of(call.setup, case.model, findings, progress)
        write_atomic(files[-1], blamed_csv(findings, precisions), follow=False)
    files += write_profile(options, comparison, findings, prefix)
    if call.plan.by_tool and _advises(options):
        files.append(_advised(files[0], prefix, match.network_inputs))
    if case.stages is not None:
        files.insert(0, call.out / STAGES)
        write_atomic(files[0], stages_csv(case.stages), follow=False)
    ran = () if call.prepared is None else call.prepared.written
    return _Done(
        prefix.removesuffix("_"),
        match,
        comparison,
        summary,
        (*options.ran, *ran, *files, call.out / f"{prefix}{SUMMARY}"),
        _exit_code(match, summary),
        findings,
        case.stages,
        case.blame,
        options.where,
    )


def _placed(case: Case) -> Findings | None:
    """Lays the comparison on the graph; None where nothing of it was measured."""
    findings = case.findings
    return None if findings is None or is_chain(case.model.graph) or not len(findings.placed.rows) else findings


def _write_data(done: _Done) -> None:
    text = json.dumps(done.data, indent=2, ensure_ascii=False, allow_nan=False)
    write_atomic(done.files[-1], f"{text}\n", follow=False)


def _exit_code(match: Match, summary: ComparisonSummary) -> int:
    """Chooses the exit code. Where limits are given, they decide: inputs and constants without a dump are no reason to
    fail then.
    """
    if any(not limit.kept for limit in summary.limits):
        return LIMIT_BROKEN
    code = match.exit_code if match.exit_code or summary.measured else NO_DUMP
    return OK if summary.limits and code == NO_DUMP else code


def _written(call: _Call, prefix: str, comparison: Comparison, shares: Mapping[int, float]) -> list[Path]:
    files = [call.out / f"{prefix}{TENSORS}"]
    if call.plan.by_tool:
        files.insert(0, call.out / result_name("result", datetime.now(), prefix))
        write_result(files[0], comparison.rows, call.table())
    write_atomic(files[-1], tensors_csv(comparison, shares), follow=False)
    return files


def _advised(result: Path, prefix: str, network_inputs: tuple[str, ...]) -> Path:
    """Writes what msaccucmp's advisor makes of the table."""
    path = result.with_name(f"{prefix}{ADVICE}")
    write_atomic(path, advise(result, network_inputs).summary, follow=False)
    return path


@contextmanager
def _crew(options: Namespace, match: Match) -> Iterator[PairExecutor]:
    if options.scheduler is None:
        yield crew_for(match, options.workers, apart=bool(options.custom_script_path))
        return
    with Cluster(options.scheduler) as cluster:
        yield cluster.crew(match)


def _say(options: Namespace, done: list[_Done]) -> int:
    if options.json:
        data = [
            one.data | where_data(one.findings, one.where) | {"files": [str(path) for path in one.files]}
            for one in done
        ]
        # In ASCII: the other side of a pipe may have another encoding than this one.
        print(json.dumps(data if len(data) > 1 else data[0], indent=2))
    else:
        for one in done:
            if len(done) > 1:
                print(f"{one.name}:")
            if one.stages is not None:
                print(plain("\n".join(stages_lines(one.stages))))
            print(plain("\n".join([*summary_lines(one.summary), *_left_over(one.match), *_blamed(one)])))
            for path in (path for path in one.files if path.name.endswith(ADVICE)):
                print(path.read_text(encoding="utf-8"), end="")
            print("\n".join(map(plain, where_lines(one.findings, one.where))), end="\n" if one.where else "")
            print(f"Written: {', '.join(map(str, one.files))}")
    misspelt = any(is_misspelt(one.findings, one.where) for one in done)
    return _first_code(done) if _first_code(done) or not misspelt else WRONG_OPTIONS


def _blamed(done: _Done) -> Iterator[str]:
    """Yields lines on who is to blame; the summary says already what a chain of tensors comes to."""
    if done.blame is not None and done.findings is not None:
        yield from blame_lines(done.blame)
        if done.blame.why:
            yield estimated(done.blame.why)


def _first_code(done: Iterable[_Done]) -> int:
    return next((one.code for one in done if one.code), OK)


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return f"{', '.join(names[:SHOWN])}{more}"


def _left_over(match: Match) -> Iterator[str]:
    for names, where in ((match.only_candidate, "candidate"), (match.only_reference, "reference")):
        if names:
            yield f"Nothing was compared with these of the {where}: {_some(names)}"
    yield from dict.fromkeys(problem.text for problem in match.problems[:SHOWN])
    if len(match.problems) > SHOWN:
        yield f"and {len(match.problems) - SHOWN:,} more of this kind: see {SUMMARY}"


def _advises(options: Namespace) -> bool:
    """-r and -s show a part only, of which nothing can be said."""
    return bool(options.advisor) and not counts(options)


def precisions_of(setup: Setup, model: Model, findings: Findings, progress: Progress) -> NodePrecisions:
    """`model` is the one whose graph the findings are on."""
    scales = setup.file("scales")
    known = RecordedPrecision(
        name=model.path.name,
        command=command_of(model),
        record=None if scales is None else read_record(scales, progress),
        record_name="" if scales is None else scales.name,
    )
    other = _quantized(setup, model, progress)
    if other is not None:
        # Of the two, the one that was compiled, or else the quantized one, came later.
        ends = (other.graph, model.graph) if setup.file("fusion") is not None else (model.graph, other.graph)
        known = known.with_other(link(*ends, progress=progress), other.path.name)
    return NodePrecisions(model.graph, known, findings)


def _quantized(setup: Setup, model: Model, progress: Progress) -> Model | None:
    """Finds another model of the call with QuantizeLinear and DequantizeLinear, by which it asks for codes."""
    for need in ("model", "original", "quantized", "candidate"):
        path = setup.file(need)
        if path is None or path == model.path or not can_be_run(path):
            continue
        try:
            found = read_model(path, progress)
        except ErrorflowError:  # what was enough to compare by need not be a graph
            continue
        if DEQUANTIZE in found.graph.op_types.values:
            return found
    return None
