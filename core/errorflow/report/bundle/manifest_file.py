"""`manifest.json`: what is in a bundle, what is not, and a checksum of each file."""

import re
from dataclasses import fields
from typing import Any

from errorflow.base.errors import FormatError, WrongFileError
from errorflow.report.bundle.model import VERSION, Manifest, decoded, plain, read

KEY = "errorflow-bundle"
_NAME = "manifest.json"
_MADE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?")
# Of texts of the manifest that are shown as they are.
_LONGEST = 2000


def manifest_rows(manifest: Manifest) -> dict[str, Any]:
    rows = {each.name: plain(getattr(manifest, each.name)) for each in fields(Manifest) if each.name != "version"}
    return {KEY: manifest.version, **rows}


def manifest_of(data: bytes) -> Manifest:
    """A `FormatError` for what is none, or is of a newer form."""
    rows = decoded(data, _NAME)
    version = rows.pop(KEY, None)
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise WrongFileError("This is no ticket bundle of Errorflow.", "Unpack it and open what is inside.")
    if version > VERSION:
        raise FormatError(
            f"The bundle was written by a newer Errorflow (its form is {version}, this one knows {VERSION}).",
            "Install a newer Errorflow. report.html in it can be read by any browser.",
        )
    known = {each.name for each in fields(Manifest)}
    found: Manifest = read(Manifest, {"version": version, **{k: v for k, v in rows.items() if k in known}}, _NAME)
    if _MADE.fullmatch(found.made) is None or max(map(len, (found.title, found.written_by))) > _LONGEST:
        raise FormatError("manifest.json of the bundle is broken.", "Ask for the bundle once more.")
    return found
