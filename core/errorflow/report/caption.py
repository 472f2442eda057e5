"""Caption of a picture that is sent away: what was compared, when it was made, and by what."""

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from errorflow import __version__
from errorflow.base.files import telling_name
from errorflow.base.values import dataclass, field
from errorflow.report.request import Request

# What ran models, as the facts of a run call it.
_RUNTIME, _PACKAGE = "ONNX Runtime", "onnxruntime"


@dataclass(frozen=True, slots=True)
class Caption:
    """Caption: what was compared, a line each; date and versions, in one line."""

    told: tuple[str, ...] = ()
    end: str = ""


NO_CAPTION = Caption()


@dataclass(frozen=True, slots=True)
class CaptionFacts:
    """Facts of what was compared and what ran it, as far as they are known."""

    compared: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)


def caption(made: CaptionFacts, now: datetime) -> Caption:
    known = made.facts.get(_RUNTIME, "") or _installed()
    ran = f"{_RUNTIME} {known}" if known else ""
    parts = (now.strftime("%Y-%m-%d %H:%M"), f"Errorflow {__version__}", ran)
    return Caption(tuple(filter(None, made.compared)), " · ".join(filter(None, parts)))


def made_as_asked(request: Request) -> CaptionFacts:
    """Finds what `errorflow render` was told to paint by."""
    sides = (
        ("candidate", request.candidate),
        ("reference", request.reference),
        ("model on the NPU", request.fusion),
        ("quantization information", request.quantization),
        ("comparison", request.compared),
        ("compared with", request.against),
        ("results", request.results),
    )
    return CaptionFacts((" · ".join(f"{what}: {_named(path)}" for what, path in sides if path),))


def _named(text: str) -> str:
    """Tables mostly have the same name, and runs lie in folders: the one around tells them apart."""
    path = Path(text)
    if path.name != telling_name(path):
        return telling_name(path)
    return f"{path.parent.name}/{path.name}" if path.parent.name else path.name


@cache  # to look it up takes a walk through the folders of all packages, whose lists stay
def _installed() -> str:
    """Finds which ONNX Runtime is here; "": none is."""
    try:
        return version(_PACKAGE)
    except PackageNotFoundError:
        return ""
