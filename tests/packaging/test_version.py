"""What a release says of itself."""

import pytest

import errorflow
from packaging_scripts import script

version = script("version.py")
CHANGELOG = "# Changes\n\n## Unreleased\n\n- Soon.\n\n## 1.2.0, 2026-03-01\n\n### Added\n- A.\n\n## [1.1.0]\n- B.\n"


def test_the_version_is_the_packages_own() -> None:
    assert version.version() == errorflow.__version__


@pytest.mark.parametrize(("wanted", "text"), [("1.2.0,", "### Added\n- A.\n"), ("1.1.0", "- B.\n")])
def test_changes_are_those_of_the_version(wanted: str, text: str) -> None:
    assert version.changes(CHANGELOG, wanted.strip(",")) == text


def test_a_release_that_says_nothing_is_refused() -> None:
    with pytest.raises(SystemExit, match=r"CHANGELOG\.md has no section 2\.0\.0"):
        version.changes(CHANGELOG, "2.0.0")
