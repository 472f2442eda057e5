"""A setup as a call of the command line, and as what matching asks for."""

import shlex
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from errorflow.base.errors import UsageError
from errorflow.case.scenarios.setup import Setup, is_model

if TYPE_CHECKING:
    from errorflow.compare.match.plan import MatchRequest
    from errorflow.compare.match.selection import Selection
    from errorflow.run.model import MadeUpShapes

# The options of `errorflow compare`, in the order in which one reads them.
OPTIONS: Mapping[str, str] = {
    "candidate": "-m",
    "reference": "-g",
    "fusion": "-f",
    "quantization": "-q",
    "closed_fusion": "-cf",
    "scales": "--scales",
    "simulator": "--simulator",
    "model": "--model",
    "original": "--model",
    "inputs": "--inputs",
}
# Where models are run; what no file has is made up from a seed that always gives the same.
_MODELS: Mapping[str, str] = {"quantized": "-m", "original": "-g", "inputs": "--inputs"}
SEED = 1


# What tells a comparison by the files that were given for it, the most telling first.
_TELLING: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset(("table",)), "table"),
    (frozenset(("quantized",)), "onnx"),
    (frozenset(("simulator",)), "three-way"),
    (frozenset(("closed_fusion",)), "npu-npu"),
    (frozenset(("fusion", "quantization")), "npu-quantized"),
    (frozenset(("fusion",)), "npu"),
    (frozenset(("quantization",)), "quantized"),
)
_OTHER = "runs"


def key_of(needs: Collection[str]) -> str:
    """The comparison that files for these needs are of, as far as that can be seen without opening them."""
    return next((key for telling, key in _TELLING if telling <= set(needs)), _OTHER)


def asked_of(setup: Setup, *, pieces: bool = False, selection: "Selection | None" = None) -> "MatchRequest":
    """Makes the request for matching, of all operators unless some are chosen.

    The window and the command line come through here alike.
    """
    from errorflow.compare.match.plan import MatchRequest
    from errorflow.compare.match.selection import everything

    candidate, reference = setup.file("candidate"), setup.file("reference")
    if candidate is None or reference is None:
        raise UsageError("Two runs are needed to compare them.", "Choose a run in question and one to trust.")
    model = setup.file("model")
    model = setup.file("original") if model is None else model
    return MatchRequest(
        candidate,
        reference,
        fusion=_text(setup, "fusion"),
        quantization=_text(setup, "quantization"),
        closed_fusion=_text(setup, "closed_fusion"),
        pieces=pieces,
        selection=everything if selection is None else selection,
        model=None if model is None else str(model),
        shapes=setup.shapes,
        scales=_text(setup, "scales"),
    )


def call_of(setup: Setup, top: Path | None = None) -> str:
    """The same on the command line, to copy; paths below `top` as seen from there."""
    if (table := setup.file("table")) is not None:
        return f"errorflow results {_shown(table, top)}"
    options = OPTIONS if setup.file("quantized") is None else _MODELS
    keys = [key for key in options if key != "model" or setup.file("original") is None]
    words = [f"{options[key]} {_shown(path, top)}" for key in keys if (path := setup.file(key))]
    words += [f"--random {SEED}"] if makes_up_inputs(setup) else []
    words += [f"--shapes {shlex.quote(shape)}" for shape in setup.shapes]
    return " ".join(["errorflow compare", *words])


def makes_up_inputs(setup: Setup) -> bool:
    """Whether models are run on inputs that the user did not give."""
    sides = (setup.file(need) for need in ("candidate", "reference", "simulator"))
    runs = setup.file("quantized") is not None or any(path is not None and is_model(path) for path in sides)
    return runs and setup.file("inputs") is None


def made_up_text(setup: Setup, shapes: "MadeUpShapes") -> str:
    """Says that models were run on made-up inputs, in which shapes as far as that is known; "": they were not."""
    if not makes_up_inputs(setup):
        return ""
    from errorflow.run.model import shapes_text

    several = "shapes" if len(shapes) > 1 else "shape"
    return f"Inputs were made up: random values{f' in the {several} {shapes_text(shapes)}' if shapes else ''}."


def _text(setup: Setup, need: str) -> str:
    path = setup.file(need)
    return "" if path is None else str(path)


def _shown(path: Path, top: Path | None) -> str:
    below = top is not None and path.is_relative_to(top) and path != top
    text = str(path.relative_to(top)) if below and top is not None else str(path)
    # A name that begins like an option would be read as one.
    return shlex.quote(f"./{text}" if text.startswith("-") else text)
