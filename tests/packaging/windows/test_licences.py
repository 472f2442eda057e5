"""No bundle passes anything on without its terms."""

from importlib.metadata import Distribution, PathDistribution, distributions
from pathlib import Path

import pytest

from packaging_scripts import script

licences = script("windows/licences.py")


def package(folder: Path, name: str, facts: str, **texts: str) -> Distribution:
    info = folder / f"{name}-1.0.dist-info"
    (info / "licenses").mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.4\nName: {name}\nVersion: 1.0\n{facts}")
    for title, text in texts.items():
        (info / "licenses" / title).write_text(text)
    (info / "RECORD").write_text("".join(f"{info.name}/licenses/{title},,\n" for title in texts))
    return PathDistribution(info)


def test_all_that_is_installed_has_terms() -> None:
    text = licences.all_terms(
        each for each in distributions() if each.metadata["Name"] in ("numpy", "PySide6_Essentials")
    )
    assert "Apache License" in text and "PYTHON SOFTWARE FOUNDATION LICENSE" in text
    assert "numpy" in text and "Redistribution and use in source and binary forms" in text
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in text and "GNU GENERAL PUBLIC LICENSE" in text


def test_texts_follow_the_package_and_are_written_once(tmp_path: Path) -> None:
    pair = [package(tmp_path, name, "License-Expression: MIT\n", LICENSE="Do as you like.") for name in ("b", "a")]
    text = licences.all_terms(pair)
    assert text.index("a 1.0: MIT") < text.index("b 1.0: MIT")
    assert text.count("Do as you like.") == text.count("(as above)") == 1


def test_words_without_a_text_do_for_our_own_licence_only(tmp_path: Path) -> None:
    assert "a 1.0: Apache-2.0" in licences.all_terms([package(tmp_path, "a", "License-Expression: Apache-2.0\n")])
    with pytest.raises(licences.NoTermsError, match="b brings no licence"):
        licences.all_terms([package(tmp_path, "b", "License-Expression: MIT\n")])
