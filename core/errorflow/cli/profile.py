"""The profile on the command line: an option of `errorflow compare`."""

from argparse import Namespace, _ArgumentGroup
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base.errors import UsageError
from errorflow.base.files import write_atomic

if TYPE_CHECKING:
    from errorflow.compare.model import Comparison
    from errorflow.explain.findings.model import Findings

_ENDING = ".svg"


def add_profile(group: _ArgumentGroup) -> None:
    group.add_argument(
        "--profile", metavar="FILE.svg", default="", help="draw how the error grows along the model, as an SVG"
    )


def check_profile(options: Namespace) -> None:
    """Refuses another kind of picture before anything is measured."""
    path = Path(options.profile)
    if options.profile and path.suffix.lower() != _ENDING:
        raise UsageError(f"A profile is written as {_ENDING}, not as {path.name}.", "Give a name that ends so.")


def write_profile(
    options: Namespace, comparison: "Comparison", findings: "Findings | None", prefix: str = ""
) -> tuple[Path, ...]:
    """The picture, where it is asked for and anything was measured: along the graph if that is known, else along the
    table."""
    if not options.profile:
        return ()
    from errorflow.explain.findings.profile import RELATIVE, Profile
    from errorflow.report.profile_shapes import profile_svg

    profile = None if findings is None else Profile.of([("", findings)], RELATIVE.key, {})
    profile = Profile.of_rows([("", comparison)], RELATIVE.key, {}) if profile is None else profile
    if profile is None:
        return ()
    path = Path(options.profile)
    path = path.with_name(f"{prefix}{path.name}")
    run, golden = Path(options.my_dump_path).name, Path(options.golden_dump_path).name
    write_atomic(path, profile_svg(profile, "light", title=f"{run} against {golden}"), follow=False)
    return (path,)
