"""Plots along the depth of a model, for a page."""

from collections.abc import Mapping

from errorflow.findings.profile import Profile
from errorflow.report.colors import DARK, LIGHT, painted_in
from errorflow.report.content import Content
from errorflow.report.profile_svg import profile_svg


def plots_of(case: Content) -> Mapping[str, tuple[str, str]]:
    """By heading, in the light and in the dark theme."""
    if case.findings is None:
        return {}
    profile = Profile.of([("", case.findings)], case.painting.metric, case.painting.limits)
    if profile is None:
        return {}
    light, dark = (profile_svg(profile, painted_in(colors, case.painting.palette)) for colors in (LIGHT, DARK))
    return {"Error along the depth": (light, dark)}
