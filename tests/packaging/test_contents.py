"""What goes into a bundle, by the names that PyInstaller gives it."""

import pytest

from packaging_scripts import script

contents = script("contents.py")


@pytest.mark.parametrize(
    "name",
    [
        "libstdc++.so.6",
        "libexpat.so.1",  # alone would ask for a newer C library than all the rest
        "PySide6/Qt/plugins/imageformats/libqtiff.so",
        "PySide6\\plugins\\imageformats\\qtga.dll",
        "distributed/http/templates/main.html",  # names others' servers
        "PIL/_imagingtk.cpython-311-x86_64-linux-gnu.so",
        "numpy/random/tests/data/pcg64.csv",
    ],
)
def test_what_no_window_loads_stays_out(name: str) -> None:
    assert list(contents.wanted([(name, "/from", "BINARY")])) == []


@pytest.mark.parametrize(
    "name",
    [
        "PySide6/Qt/plugins/imageformats/libqjpeg.so",
        "PySide6/Qt/plugins/imageformats/libqsvg.so",
        "distributed/distributed.yaml",
        "PIL/_imaging.cpython-311-x86_64-linux-gnu.so",
        "libxcb-cursor.so.0",
    ],
)
def test_what_it_loads_goes_in(name: str) -> None:
    assert list(contents.wanted([(name, "/from", "BINARY")])) == [(name, "/from", "BINARY")]
