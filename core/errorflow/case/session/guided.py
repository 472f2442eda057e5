"""How far one is on the way through a guide, in a session file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from errorflow.base.errors import FormatError
from errorflow.case.session.fields import MOST_LETTERS, Fields, is_number, is_text
from errorflow.case.session.guide_progress import Given, GuideProgress, StepProgress
from errorflow.case.session.places import found, written

# No flow has more steps, and none asks more.
MOST_STEPS = 100
_GIVEN = ("model", "weights", "quantized")


def guide_rows(guide: GuideProgress | None, folder: Path) -> Any:
    if guide is None:
        return None
    given = {key: written(path, folder) for key in _GIVEN if (path := getattr(guide.given, key)) is not None}
    return {
        "flow": guide.flow,
        "answers": dict(guide.answers),
        "at": guide.at,
        "given": {**given, "soc_version": guide.given.soc_version},
        "steps": {key: _step_rows(step, folder) for key, step in guide.steps.items()},
    }


def _step_rows(step: StepProgress, folder: Path) -> Mapping[str, Any]:
    return {
        "outcome": step.outcome,
        "files": {need: written(path, folder) for need, path in step.files.items()},
        "numbers": {name: value for name, value in step.numbers.items() if is_number(value)},
        "texts": {name: text[:MOST_LETTERS] for name, text in step.texts.items()},
        "when": step.when,
    }


def guide_of(rows: Fields, folder: Path) -> GuideProgress | None:
    """What of it can be read; None: there is none."""
    if rows.rows.get("guide") is None:
        return None
    guide = rows.inside("guide")
    if not isinstance(rows.rows["guide"], dict):  # which was noted
        return None
    return GuideProgress(
        guide.text("flow"),
        guide.mapping("answers", is_text, "a text"),
        guide.text("at"),
        _steps(guide, folder),
        _given(guide.inside("given"), folder),
    )


def _steps(guide: Fields, folder: Path) -> Mapping[str, StepProgress]:
    steps = guide.mapping("steps", lambda value: isinstance(value, dict), "an object")
    if len(steps) > MOST_STEPS:
        guide.problems.append(f"guide.steps is left out: it should be {MOST_STEPS} at most.")
        return {}
    inside = guide.inside("steps")
    return {key: _step(inside.inside(key), folder) for key in steps}


def _step(rows: Fields, folder: Path) -> StepProgress:
    named = rows.mapping("files", is_text, "a file's name")
    files = {need: _found(text, folder, rows.problems) for need, text in named.items()}
    numbers = rows.mapping("numbers", is_number, "a number")
    return StepProgress(
        rows.text("outcome"),
        {need: path for need, path in files.items() if path is not None},
        {name: float(value) for name, value in numbers.items()},
        rows.mapping("texts", is_text, "a text"),
        rows.text("when"),
    )


def _given(rows: Fields, folder: Path) -> Given:
    paths = {key: _found(rows.text(key), folder, rows.problems) if rows.text(key) else None for key in _GIVEN}
    return Given(paths["model"], paths["weights"], paths["quantized"], rows.text("soc_version"))


def _found(text: str, folder: Path, problems: list[str]) -> Path | None:
    try:
        return found(text, folder)
    except FormatError as error:
        problems.append(str(error))
        return None
