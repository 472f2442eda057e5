"""The form that vendors ask to be filled in: what is known stands in it, what is not is marked as blank."""

import platform
import re
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from errorflow import __version__
from errorflow.base import ErrorflowError, UsageError, dataclass, field
from errorflow.base.language import translated
from errorflow.case.model import Case
from errorflow.case.said import MADE_UP
from errorflow.case.scenarios.setup import is_model
from errorflow.case.session.file import parse_session
from errorflow.case.session.model import Session
from errorflow.quant.changes import beginning, brief, changes
from errorflow.report.account.model import CHANGED, changes_table
from errorflow.report.bundle.archive import pieces_of
from errorflow.report.bundle.model import SESSION, TICKET, BundleChoice
from errorflow.report.bundle.sizes import fed_files

BLANK = "(blank: please fill in)"
_LIBRARIES = ("numpy", "onnx", "onnxruntime", "protobuf", "msgspec", "PySide6-Essentials")


@dataclass(frozen=True, slots=True)
class FormField:
    """A line of the form. `section` is its heading."""

    key: str
    section: str
    label: str
    # What belongs into it, for whoever fills it in.
    tip: str = ""
    # Whether it takes more than a line.
    is_long: bool = False


_CASE, _OTHERS, _REPRODUCTION = "The case", "Other platforms", "Minimal reproduction"
# As the templates of the toolchains' vendors ask for them, Pulsar2's first of all.
FIELDS: tuple[FormField, ...] = (
    FormField("problem", _CASE, "What is wrong", "What you see, and what you expected instead", is_long=True),
    FormField("toolchain", _CASE, "Toolchain and its version", "Such as Pulsar2 4.0, or CANN 8.0.RC3"),
    FormField("chip", _CASE, "Chip and board", "Such as AX650N on the M4N-Dock, or Ascend 310P3"),
    FormField("deployed", _OTHERS, "Deployed on other platforms before", "Yes or no, and how good it was there"),
    FormField(
        "platforms", _OTHERS, "Vendors, chips and toolchain versions", "Of each platform that it runs on", is_long=True
    ),
    FormField("scripts", _OTHERS, "Quantization scripts or settings used there", "Names of files, or the settings"),
    FormField("commands", _OTHERS, "Commands used there", "As they were typed", is_long=True),
    FormField("accuracy", _OTHERS, "Accuracy: in float, on the board, and how it is measured", "Of the whole data set"),
    FormField("float_model", _REPRODUCTION, "Float model", "How to get it, where it is not in the bundle"),
    FormField(
        "single_input",
        _REPRODUCTION,
        "Test with a single input",
        "A script, in Python or C++, and its input",
        is_long=True,
    ),
    FormField("config", _REPRODUCTION, "Configuration of the conversion", "Such as config.json; attach it if you can"),
    FormField("dataset", _REPRODUCTION, "Smallest data set for calibration", "How to get it, and how many samples"),
    FormField(
        "command", _REPRODUCTION, "Command of the conversion", "Such as the call of pulsar2 build or atc", is_long=True
    ),
)
_KEYS = frozenset(field.key for field in FIELDS)


def answers_of(texts: list[str]) -> dict[str, str]:
    """Parses `field=text`, as they are typed."""
    found: dict[str, str] = {}
    for text in texts:
        key, given, answer = text.partition("=")
        if not given or key not in _KEYS:
            raise UsageError(
                f"{key[:40]} is no field of the form.", f"Fields are {', '.join(field.key for field in FIELDS)}."
            )
        found[key] = answer.strip()
    return found


def known_answers(case: Case, choice: BundleChoice) -> dict[str, str]:
    """Finds answers without the user, in the language in use: the form's receiver reads it."""
    return {key: translated(text) for key, text in _known(case, choice).items()}


def _known(case: Case, choice: BundleChoice) -> dict[str, str]:
    session, found = case.session, dict[str, str]()
    verdict = None if case.blame is None else case.blame.model
    if verdict is not None and verdict.kind not in ("good", "nothing"):
        found["problem"] = verdict.text
    model = float_model_of(session)
    if model is not None:
        found["float_model"] = _model_text(model.name, case, choice)
    simulation = session.simulation
    fed = [path.name for path in fed_files(session)]
    if simulation is not None:
        fed = [path.replace("\\", "/").rpartition("/")[2] for path in simulation.basis.asked.paths]
        by_hand = brief(changes(beginning(simulation.plan), simulation.plan))
        found["config"] = (
            f"the plan, and what toolchains take of it: in config/. Changed by hand: {by_hand}"
            if by_hand
            else "the plan, and what toolchains take of it: in config/"
        )
        found["dataset"] = ", ".join(fed) if fed else "samples that are made up"
    if fed:
        named = ", ".join(fed)
        found["single_input"] = f"{named}, in inputs/" if choice.inputs else f"{named}, not in the bundle"
    return found


def float_model_of(session: Session) -> Path | None:
    """The model before it was quantized or compiled; None: the session names none."""
    setup, simulation = session.setup, session.simulation
    if simulation is not None:
        return simulation.basis.reference if simulation.basis.reference is not None else session.model
    if setup is None:
        return session.model
    found = setup.file("original") or setup.file("model")
    reference = setup.file("reference")
    return reference if found is None and reference is not None and is_model(reference) else found


def _model_text(name: str, case: Case, choice: BundleChoice) -> str:
    if choice.model:
        return f"model/{name}"
    if name == case.title:
        return f"{name}, not in the bundle: its graph is, without weights"
    return f"{name}, not in the bundle"


def ticket_text(case: Case, choice: BundleChoice) -> str:
    """The form as Markdown: the user's answers before what is known, and blanks where there is neither.

    In the language in use, but for what the user wrote.
    """
    return "\n".join(_ticket_lines(case, choice)) + "\n"


def _ticket_lines(case: Case, choice: BundleChoice) -> Iterator[str]:
    yield f"# {case.title}"
    yield ""
    yield from (f"- {translated(line)}" for line in case.compared)
    if case.made_up and MADE_UP not in case.compared:
        yield f"- {translated(MADE_UP)}"
    yield from map(_in_words, _verdict_lines(case))
    yield from _changed_lines(case)
    known: Mapping[str, str] = {**known_answers(case, choice), **{k: v for k, v in choice.answers.items() if v}}
    for section in dict.fromkeys(row.section for row in FIELDS):
        yield ""
        yield _in_words(f"## {section}")
        yield ""
        for row in FIELDS:
            if row.section == section:
                answer = known[row.key] if row.key in known else translated(BLANK)
                yield _point(f"**{translated(row.label, label=True)}**: {answer}")
    if case.session.note:
        yield from ("", _in_words("## Note"), "", case.session.note)
    if case.session.notes:
        yield from ("", _in_words("## Notes on nodes"), "")
        yield from (_point(f"{node}: {text}") for node, text in case.session.notes.items())


def _changed_lines(case: Case) -> Iterator[str]:
    """Yields the wishes for the plan, such as nodes that were put back to float."""
    simulation = case.session.simulation
    rows = changes_table(None if simulation is None else simulation.plan).rows
    if rows:
        yield from ("", _in_words(f"## {CHANGED}"), "")
        yield from (_point(f"{translated(who)}: {translated(what)}" if what else translated(who)) for who, what in rows)


def _in_words(line: str) -> str:
    """A line of Markdown in the language in use."""
    mark, _, text = line.partition(" ")
    return f"{mark} {translated(text, label=mark == '##')}" if mark in ("-", "##") else translated(line)


def _point(text: str) -> str:
    """Writes a point of a list; further lines are indented, so that they are of the same point."""
    return "\n  ".join(f"- {text}".strip().splitlines())


def _verdict_lines(case: Case) -> Iterator[str]:
    if case.blame is None:
        yield "- Nothing was compared."
        return
    verdict = case.blame.model
    yield from ("", "## Verdict", "", verdict.text)
    if case.stages is not None:
        yield from ("", case.stages.text)
    graph = case.model.graph
    if verdict.top:
        yield ""
        for each in verdict.top:
            yield f"- {graph.title(each.node)}: {100 * each.share:.0f} % of the error at the output"
    if verdict.advice:
        yield ""
        yield from (f"- {advice.text} ({advice.source})" for advice in verdict.advice)


def versions_text() -> str:
    """Writes what the case was measured with."""
    lines = [
        f"Errorflow {__version__}",
        f"System: {platform.system()} {platform.release()}, {platform.machine()}",
        f"Python {platform.python_version()}",
        *(f"{name} {_version(name)}" for name in _LIBRARIES),
    ]
    return "\n".join(lines) + "\n"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


# Answers in the form of a bundle, and notes of its session: read without unpacking it.

# Of a form, and of a session: more nobody filled in.
_MOST_BYTES = 8 << 20
_POINT = re.compile(r"- \*\*(.+?)\*\*: ?(.*)")
_LABELS = frozenset(field.label for field in FIELDS)
_VERDICT = "## Verdict"


@dataclass(frozen=True, slots=True)
class GivenAnswers:
    """Answers by the labels of the form: those that were given. `verdict` is its sentence."""

    answers: Mapping[str, str] = field(default_factory=dict)
    verdict: str = ""
    note: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)


def told_in(path: Path) -> GivenAnswers:
    """Empty where the bundle is gone or holds no form: what else is in it can be shown all the same."""
    try:
        text = _member(path, TICKET)
        session = parse_session(_member(path, SESSION).encode(), path.parent, SESSION).session
    except (ErrorflowError, KeyError):
        return GivenAnswers()
    return GivenAnswers(answers_in(text), _verdict(text), session.note, session.notes)


def answers_in(text: str) -> dict[str, str]:
    """Reads answers from the form as it was written; a blank is no answer."""
    found: dict[str, str] = {}
    at = ""
    for line in text.splitlines():
        point = _POINT.fullmatch(line)
        if point is not None and point[1] in _LABELS and point[1] not in found:
            at, found[at] = point[1], point[2]
        elif at and line.startswith("  "):
            found[at] += f"\n{line[2:]}"
        else:
            at = ""
    return {label: answer.strip() for label, answer in found.items() if answer.strip() not in ("", BLANK)}


def told_lines(told: GivenAnswers) -> Iterator[str]:
    """Yields lines for the command line."""
    if told.answers:
        yield "From the form"
        for label, answer in told.answers.items():
            first, *more = answer.splitlines()
            yield f"  {label}: {first}"
            yield from (f"    {line}" for line in more)
    if told.note:
        yield "Note"
        yield from (f"  {line}" for line in told.note.splitlines())
    if told.notes:
        yield "Notes on nodes"
        yield from (f"  {node}: {text}" for node, text in told.notes.items())


def _verdict(text: str) -> str:
    lines = iter(text.splitlines())
    if _VERDICT not in lines:
        return ""
    return next((line for line in lines if line.strip()), "")


def _member(path: Path, name: str) -> str:
    found = bytearray()
    for piece in pieces_of(path, name):
        found += piece
        if len(found) > _MOST_BYTES:
            break
    return found.decode("utf-8", "replace")
