"""The files of a flow, as they are saved."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from errorflow.base.errors import FileError
from errorflow.base.files import write_atomic
from errorflow.guides.facts import Facts
from errorflow.guides.model import Flow, How, Step


def hows_of(step: Step) -> Iterator[How]:
    """Yields all ways to obtain something for a step, in the order of its needs."""
    for wanted in step.wanted:
        yield from wanted.how
    yield from step.how


def files_of(flow: Flow, facts: Facts, step: Step | None = None) -> Mapping[str, str]:
    """Maps names of files to what is in them. `step`: of that one only."""
    steps = flow.steps if step is None else (step,)
    hows = (how for each in steps for how in hows_of(each))
    return {how.file(facts): how.text(facts) for how in hows if how.file is not None}


def write_files(folder: Path, files: Mapping[str, str], force: bool = False) -> tuple[Path, ...]:
    """Writes all files or, where one is there that says something else, none. `force`: that one is replaced."""
    held = [name for name, text in files.items() if _differs(folder / name, text)]
    if held and not force:
        raise FileError(
            f"{folder.name} holds {', '.join(held)} already.", "Choose another folder, or say --force to replace them."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(
            f"{folder.name} cannot be a folder: {(error.strerror or str(error)).lower()}.", "Choose another one."
        ) from error
    for name, text in files.items():
        write_atomic(folder / name, text)
    return tuple(folder / name for name in files)


def _differs(path: Path, text: str) -> bool:
    if not path.exists():
        return False
    try:
        return path.read_text(encoding="utf-8") != text
    except (OSError, UnicodeDecodeError):
        return True
