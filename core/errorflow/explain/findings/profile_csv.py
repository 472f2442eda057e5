"""The numbers of a profile, for a spreadsheet."""

import csv
import io
from collections.abc import Iterator

from errorflow.explain.blame.model import Verdict
from errorflow.explain.findings.profile import Profile, ProfileCurve


def profile_csv(profile: Profile) -> str:
    """A row per place, in the order of running; cells stay empty where nothing was measured."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    curves = [*profile.curves, *([] if profile.introduced is None else [profile.introduced])]
    writer.writerow(["depth", "name", "type", *(curve.title for curve in curves), "verdict"])
    columns = [list(_cells(curve)) for curve in curves]
    for place, verdict in enumerate(profile.verdicts.tolist()):
        word = Verdict(verdict).word if verdict else ""
        writer.writerow([place, *profile.titles(place), *(column[place] for column in columns), word])
    return text.getvalue()


def _cells(curve: ProfileCurve) -> Iterator[float | str]:
    for value, measured in zip(curve.values.tolist(), curve.measured.tolist(), strict=True):
        yield value if measured else ""
