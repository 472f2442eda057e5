"""A case of the built-in sample in a folder of its own, measured once for all tests of bundles."""

import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from errorflow.base.sample import SAMPLES
from errorflow.case.examine import examine
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import Session
from errorflow.report.bundle.draft import BundleDraft, draft_of
from errorflow.report.bundle.model import BundleChoice
from errorflow.report.bundle.writing import WrittenBundle, write_bundle

NOW = datetime(2026, 1, 2, 3, 4, 5)
CULPRIT = "/block2/project/conv/Conv"


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose name gives somebody away."""
    folder = tmp_path_factory.mktemp("case") / "margaret" / "secret project"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture(scope="session")
def session(home: Path) -> Session:
    sample = SAMPLES[0]
    given = {"model": sample.model, "reference": sample.reference_run, "candidate": sample.candidate_run}
    files = {need: Path(shutil.copy(path, home)) for need, path in given.items()}
    notes = {CULPRIT: f"seen by Margaret in {home}/dump.npz on build-host-17"}
    return Session(files["model"], Setup("runs", files), notes=notes, note="For margaret.hamilton only")


@pytest.fixture(scope="session")
def draft(session: Session) -> Iterator[BundleDraft]:
    with pytest.MonkeyPatch.context() as patch, examine(session) as case:
        patch.setenv("USER", "margaret")
        patch.setenv("HOSTNAME", "build-host-17.example")
        yield draft_of(case, NOW)


@pytest.fixture
def written(draft: BundleDraft, tmp_path: Path) -> WrittenBundle:
    return write_bundle(draft, BundleChoice((CULPRIT,)), tmp_path / "case.zip")
