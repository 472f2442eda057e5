"""Which runs msaccucmp compares with which files, as a table; anything else is refused with its exit code.

To allow another combination: a row here.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from errorflow.compare.match.codes import WRONG_OPTIONS, WRONG_RUNS
from errorflow.compare.match.refused import UnfitRunsError
from errorflow.formats.folders.kinds import SideKind

LABELS: dict[SideKind, str] = {
    "npu": "a dump of an NPU",
    "npu-quantized": "a dump of a quantized model on an NPU",
    "npy": "the original model's .npy files",
    "npy-quantized": "a quantized model's .npy files",
}
# What each option is.
FILES = {
    "-f": "fusion.json, printed by `atc --mode=1`",
    "-q": "quant.json, written by AMCT",
    "-cf": "the JSON of the model compiled without fusion",
}


@dataclass(frozen=True, slots=True)
class Scenario:
    """A candidate and a reference that can be compared, and the sets of options by which."""

    candidate: SideKind
    reference: SideKind
    options: tuple[frozenset[str], ...]
    # The exit code where other options are given.
    code: int
    why: str


def _sets(*options: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(text.split()) for text in options)


SCENARIOS: tuple[Scenario, ...] = (
    Scenario("npu", "npy", _sets("-f"), WRONG_OPTIONS, "the fusion rules say which original tensors became which"),
    Scenario(
        "npu-quantized", "npy", _sets("-f -q"), WRONG_OPTIONS, "names lead over the quantized model to the original one"
    ),
    Scenario(
        "npu-quantized", "npy-quantized", _sets("-f"), WRONG_OPTIONS, "both have the names of the quantized model"
    ),
    Scenario("npu", "npu", _sets("", "-f -cf"), WRONG_OPTIONS, "the operators' names are compared, or two fusions"),
    Scenario(
        "npu-quantized",
        "npu-quantized",
        _sets("", "-f -cf"),
        WRONG_OPTIONS,
        "the operators' names are compared, or two fusions",
    ),
    Scenario(
        "npy-quantized", "npy", _sets("-q"), WRONG_RUNS, "names lead from the quantized model to the original one"
    ),
)
# What is refused, and what is meant instead.
_INSTEAD: dict[tuple[SideKind, SideKind], str] = {
    ("npy", "npu"): "Swap them: the NPU's dump is -m, the original model's files are -g.",
    ("npy", "npu-quantized"): "Swap them: the NPU's dump is -m, the original model's files are -g.",
    ("npy-quantized", "npu-quantized"): "Swap them: the NPU's dump is -m, the quantized model's files are -g.",
    ("npy", "npy-quantized"): "Swap them: the quantized model's files are -m, and -q says what became of the layers.",
    ("npu", "npy-quantized"): "Take the files of the model that was not quantized, or the dump of the quantized model.",
    ("npu", "npu-quantized"): "Compare each of them with the original model's .npy files.",
    ("npu-quantized", "npu"): "Compare each of them with the original model's .npy files.",
}


_NOT_COMPARED = "these are not compared with each other"


def scenario(candidate: SideKind, reference: SideKind, options: Iterable[str]) -> Scenario:
    """The row for these two runs; `UnfitRunsError` if there is none, or if options lack or are too many."""
    given = frozenset(options)
    row = next((row for row in SCENARIOS if (row.candidate, row.reference) == (candidate, reference)), None)
    what = f"{LABELS[candidate]} (-m) against {LABELS[reference]} (-g)"
    if row is None:
        hint = _INSTEAD.get((candidate, reference), "Leave the fusion rules out to compare tensors of the same name.")
        swaps = any((row.candidate, row.reference) == (reference, candidate) for row in SCENARIOS)
        raise UnfitRunsError(
            f"It makes no sense to compare {what} by fusion rules.",
            hint,
            WRONG_RUNS,
            f"{_sides(candidate, reference)}: {'it must be the other way round' if swaps else _NOT_COMPARED}.",
            f"Swap them: the candidate is {LABELS[reference]}." if swaps else hint,
            swaps,
        )
    if given not in row.options:
        nearest = min(row.options, key=lambda wanted: len(wanted ^ given))
        raise UnfitRunsError(
            f"To compare {what}, {_difference(nearest, given)}.",
            call(nearest),
            row.code,
            f"{_sides(candidate, reference)}. {_files(nearest, given)}",
            "Change what is compared.",
        )
    return row


def _sides(candidate: SideKind, reference: SideKind) -> str:
    return f"The candidate is {LABELS[candidate]}, the reference is {LABELS[reference]}"


def call(options: Iterable[str]) -> str:
    """The right call, as a sentence."""
    named = sorted(options, key=list(FILES).index)
    files = "".join(f" {option} {option.strip('-').upper()}" for option in named)
    known = "; ".join(f"{option.strip('-').upper()} is {FILES[option]}" for option in named)
    return f"Call: errorflow compare -m MINE -g GOLDEN{files}{f' ({known})' if known else ''}."


def _files(wanted: frozenset[str], given: frozenset[str]) -> str:
    """The difference by what the files are."""
    takes = [f"This takes {FILES[option]}." for option in sorted(wanted - given)]
    return " ".join([*takes, *(f"This takes no {FILES[option]}." for option in sorted(given - wanted))])


def _difference(wanted: frozenset[str], given: frozenset[str]) -> str:
    lacking, extra = sorted(wanted - given), sorted(given - wanted)
    parts = [f"{' and '.join(lacking)} {'is' if len(lacking) == 1 else 'are'} needed"] if lacking else []
    parts += [f"{' and '.join(extra)} {'is' if len(extra) == 1 else 'are'} not to be given"] if extra else []
    return " and ".join(parts)
