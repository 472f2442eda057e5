"""`errorflow guide [FLOW [FOLDER …]]`: the vendors' methods step by step, and how a finished step is judged."""

import json
import re
import shlex
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errorflow.base.errors import UsageError
from errorflow.base.files import is_file
from errorflow.base.language import ENGLISH, LANGUAGES, current, translated, use
from errorflow.cli.command import Command
from errorflow.cli.meter import Meter, plain

if TYPE_CHECKING:
    from errorflow.case.scenarios.found import Discovered
    from errorflow.case.session.model import GivenFiles, GuideProgress, Session
    from errorflow.guides.facts import Facts
    from errorflow.guides.model import Flow, SeenResult, Step

_EXAMPLES = """\
examples:
  errorflow guide                                                     the guides, and the questions that lead to one
  errorflow guide ascend-caffe case --model resnet50.prototxt         all steps, with what lies in the folder
  errorflow guide ascend-caffe --step 2 --soc-version Ascend310P3     one step, with scripts in full
  errorflow guide ascend-caffe --model resnet50.prototxt --write kit  its settings and scripts as files
  errorflow guide ascend-caffe --step 2 --check result                a finished step against the guide's thresholds
  errorflow guide ascend-caffe --check case.errorflow                 the same of the step that a session is at

Exit code 1: the step that was checked did not pass, or nothing that decides was measured."""
# What stands before the words of a line, and a key in brackets behind them; and lines of scripts.
_LINE = re.compile(r"(\s*(?:[-!?x~+✓✗] )?)(.*?)((?: \[[\w.-]+\])?)", re.DOTALL)
_SCRIPT = re.compile(r"\s*\| ")


def _arguments(parser: ArgumentParser) -> None:
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = _EXAMPLES
    parser.add_argument("flow", metavar="FLOW", nargs="?", help="one of the guides that `errorflow guide` lists")
    parser.add_argument("paths", metavar="FOLDER", nargs="*", help="say what of each step lies there; files too")
    parser.add_argument("--model", metavar="FILE", help="the original model, for commands that can be run as they are")
    parser.add_argument("--weights", metavar="FILE", help="its weights, where they are a file of their own")
    parser.add_argument("--quantized", metavar="FILE", help="the calibrated or quantized model")
    parser.add_argument("--soc-version", metavar="NAME", help="of the NPU, such as Ascend310P3")
    parser.add_argument("--step", metavar="N", help="one step only, by its number or its name, with scripts in full")
    parser.add_argument("--write", metavar="DIR", help="write the settings and scripts as files")
    parser.add_argument("--force", action="store_true", help="replace files that are there")
    parser.add_argument("--check", metavar="PATH", help="a session, a result folder or a table: what the step found")
    parser.add_argument(
        "--accuracy",
        metavar="FLOAT,NEW",
        help="what both models reach on labelled data, such as 0.788,0.711 or 78.8,71.1",
    )
    parser.add_argument("--images", metavar="N", type=int, help="how many images calibrated")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    keys = [each.key for each in LANGUAGES]
    parser.add_argument("--language", choices=keys, default=ENGLISH.key, help="what it speaks (JSON stays English)")


def _run(options: Namespace) -> int:
    from errorflow.guides.table import FLOWS, flow_of, questions
    from errorflow.report.guide import flows_data, flows_lines

    use(options.language)
    if options.flow is None:
        if any((options.check, options.write, options.step, options.accuracy, options.images)):
            raise UsageError("Which guide is meant?", "Name it first: `errorflow guide` lists all.")
        _say(options, flows_data(FLOWS, questions()), flows_lines(FLOWS, questions()))
        return 0
    flow = flow_of(options.flow)
    if any(each is not None for each in (options.check, options.accuracy, options.images)):
        return _check(options, flow)
    if options.write is not None:
        return _write(options, flow)
    return _tell(options, flow)


def _say(options: Namespace, data: Any, lines: Any) -> None:
    if options.json:
        print(json.dumps(data, indent=2))
    else:
        print_lines(lines)


def _given(options: Namespace, flow: "Flow", discovered: "Discovered") -> "GivenFiles":
    """The user's own files: those that were named, and a model that lies there."""
    from errorflow.case.session.model import GivenFiles
    from errorflow.guides.facts import check_framework
    from errorflow.guides.lying import own_of

    model, weights, quantized = (
        None if each is None else _path(options, each) for each in (options.model, options.weights, options.quantized)
    )
    check_framework(model, flow.framework)
    soc_version = "" if options.soc_version is None else options.soc_version
    return own_of(flow, GivenFiles(model, weights, quantized, soc_version), discovered)


def _discovered(options: Namespace) -> "Discovered":
    from errorflow.case.scenarios.found import NOTHING

    if not options.paths:
        return NOTHING
    from errorflow.case.scenarios.discover import discover

    with Meter() as meter:
        return discover([_path(options, path) for path in options.paths], meter)


def _path(options: Namespace, text: str) -> Path:
    """Files that are written are used from where they lie, and shall find the others from there."""
    return Path(text) if options.write is None else Path(text).absolute()


def _step(options: Namespace, flow: "Flow") -> "Step | None":
    """The one that was asked for; None: none was."""

    if options.step is None:
        return None
    found = flow.step(options.step)
    if found is None and options.step.isdecimal() and 0 < int(options.step) <= len(flow.steps):
        found = flow.steps[int(options.step) - 1]
    if found is None:
        names = ", ".join(step.key for step in flow.steps)
        raise UsageError(f"{flow.key} has no step {options.step[:40]}.", f"Say 1 to {len(flow.steps)}, or {names}.")
    return found


def _tell(options: Namespace, flow: "Flow") -> int:
    from errorflow.report.guide import FlowInput, flow_data, flow_lines

    step, discovered = _step(options, flow), _discovered(options)
    progress, facts = _known(options, flow, discovered)
    told = FlowInput(flow, facts, progress, discovered, step is not None)
    steps = flow.steps if step is None else (step,)
    _say(options, flow_data(told, steps), flow_lines(told, steps))
    return 0


def _known(options: Namespace, flow: "Flow", discovered: "Discovered") -> "tuple[GuideProgress, Facts]":
    """The way through the guide that the only session there keeps, and the names for its commands."""
    from errorflow.case.session.file import read_session
    from errorflow.case.session.model import GuideProgress
    from errorflow.guides.lying import facts_of

    given, sessions = _given(options, flow, discovered), discovered.of("session")
    case = sessions[0].path if len(sessions) == 1 else None
    kept = None if case is None else read_session(case).session.guide
    progress = replace(kept, given=given) if kept is not None and kept.flow == flow.key else None
    progress = GuideProgress(flow.key, given=given) if progress is None else progress
    return progress, facts_of(flow, progress, discovered, case)


def _write(options: Namespace, flow: "Flow") -> int:
    from errorflow.guides.writing import files_of, write_files

    step = _step(options, flow)
    _, facts = _known(options, flow, _discovered(options))
    folder = Path(options.write)
    written = write_files(folder, files_of(flow, facts, step), options.force)
    names = [str(path) for path in written]
    lines = [*names, f"Run them in that folder: cd {shlex.quote(str(folder))}"]
    _say(options, {"files": names}, lines if names else ["There are no files to write for this step."])
    return 0


def _check(options: Namespace, flow: "Flow") -> int:
    from errorflow.guides.gathering import together
    from errorflow.guides.judging import judge
    from errorflow.report.guide import judged_data, judged_lines

    session = _session(options)
    step = _checked_step(options, flow, session)
    seen = [_by_hand(options)]
    if session is not None:
        seen.insert(0, _of_session(Path(options.check), session, flow, step))
    elif options.check is not None:
        seen.insert(0, _of_file(Path(options.check)))
    judged = judge(step, together(seen))
    _say(options, judged_data(flow, step, judged), judged_lines(flow, step, judged))
    other = "" if session is None else _other(session, step)
    if other and not judged.outcome:
        print(plain(f"errorflow: {other}"), file=sys.stderr)
    return 0 if judged.outcome == "passed" else 1


def _session(options: Namespace) -> "Session | None":
    """Reads the session of the file or of the ticket bundle; None: it is neither."""
    from errorflow.case.session.file import read_session
    from errorflow.case.session.model import SUFFIX
    from errorflow.report.bundle.archive import is_bundle
    from errorflow.report.bundle.opening import side_in

    path = None if options.check is None else Path(options.check)
    if path is None or path.suffix not in (SUFFIX, ".zip"):
        return None
    return side_in(path).session if is_bundle(path) else read_session(path).session


def _other(session: "Session", step: "Step") -> str:
    """Says that the session compares something else than the step does; "": it does not."""
    from errorflow.case.scenarios import scenario_of

    wanted = scenario_of(step.scenario)
    found = None if session.setup is None else scenario_of(session.setup.scenario)
    if wanted is None or found is None or found.key in (wanted.key, "table"):
        return ""
    return f"The session compares “{found.title}”; this step is about “{wanted.title}”."


def _checked_step(options: Namespace, flow: "Flow", session: "Session | None") -> "Step":
    """The one that was asked for, that the session is at or about, or the first that something is compared in."""
    asked = _step(options, flow)
    if asked is not None:
        return asked
    guide: GuideProgress | None = None if session is None else session.guide
    if guide is not None and guide.flow == flow.key and (at := flow.step(guide.at)) is not None and at.checks:
        return at
    scenario = "" if session is None or session.setup is None else session.setup.scenario
    comparing = [step for step in flow.steps if step.scenario]
    return next((step for step in comparing if step.scenario == scenario), (*comparing, flow.steps[0])[0])


def _of_file(path: Path) -> "SeenResult":
    from errorflow.guides.checking import seen_in

    with Meter() as meter:
        return seen_in(path, meter)


def _of_session(path: Path, session: "Session", flow: "Flow", step: "Step") -> "SeenResult":
    """Reads what the session keeps of the step, and where it compares something what that finds now."""
    from errorflow.guides.gathering import of_accuracy, of_findings, together
    from errorflow.guides.judging import seen_of
    from errorflow.report.bundle.opening import case_in

    guide = session.guide
    # Steps of other guides may be called the same.
    found = [seen_of(guide.step(step.key))] if guide is not None and guide.flow == flow.key else []
    accuracies = [trial.accuracy for trial in session.trials if trial.accuracy is not None]
    found += [of_accuracy(accuracies[-1])] if accuracies else []
    setup = session.setup
    compares = setup is not None and step.scenario in (setup.scenario, "table")
    table = None if setup is None or not compares else setup.file("table")
    if table is not None and is_file(table):
        return together((*found, _of_file(table)))
    if compares or (session.simulation is not None and not step.scenario):
        with Meter() as meter, case_in(path, meter, tensors=False) as case:
            _ = case.findings  # while its files are there
        found += [of_findings(case.findings)] if case.findings is not None else []
    return together(found)


def _by_hand(options: Namespace) -> "SeenResult":
    """Takes what the user says."""
    from errorflow.guides.model import SeenResult

    numbers: dict[str, float] = {}
    if options.accuracy is not None:
        try:
            before, after = (float(part.strip().rstrip("%")) for part in options.accuracy.split(","))
        except ValueError as error:
            raise UsageError(
                f"{options.accuracy[:40]} is no pair of accuracies.",
                "Write both as shares or as percent: --accuracy 0.788,0.711 or --accuracy 78.8,71.1",
            ) from error
        # Of a pair both are meant in the same way.
        scale = 100 if "%" in options.accuracy or max(before, after) > 1 else 1
        if not (0 <= before <= scale and 0 <= after <= scale):
            raise UsageError("An accuracy is a share from 0 to 1.", "Write 78.8 % as 0.788 or as 78.8.")
        numbers |= {"float_accuracy": before / scale, "accuracy": after / scale}
    if options.images is not None:
        numbers["calibration_images"] = float(options.images)
    return SeenResult(numbers)


GUIDE = Command(
    "guide", "The vendors' methods step by step: what to obtain, how to judge it, what next.", _arguments, _run
)


def print_lines(lines: Iterable[str]) -> None:
    """Prints in the language that was chosen; scripts, commands and keys stay as they are."""
    print(plain("\n".join(lines if current() is ENGLISH else map(_said, lines))))


def _said(line: str) -> str:
    found = None if _SCRIPT.match(line) else _LINE.fullmatch(line)
    return line if found is None else f"{found[1]}{translated(found[2], label=True)}{found[3]}"
