"""What a call of `errorflow compare` asks for, in the words of matching."""

from argparse import Namespace
from collections.abc import Callable
from functools import partial
from pathlib import Path

from errorflow.errors import FileError
from errorflow.match.plan import Asked
from errorflow.match.selection import Selection, everything, in_range, selected
from errorflow.scenarios.call import asked_of, key_of
from errorflow.scenarios.setup import Setup


def setup_of(options: Namespace) -> Setup:
    """The files of a call, by need."""
    given = {
        "candidate": options.my_dump_path,
        "reference": options.golden_dump_path,
        "fusion": options.fusion_rule_file,
        "quantization": options.quant_fusion_rule_file,
        "closed_fusion": options.close_fusion_rule_file,
        "scales": options.scales,
        "simulator": options.simulator,
        "model": options.model,
    }
    files = {need: Path(path) for need, path in given.items() if path}
    return Setup(key_of(files), files, tuple(options.shapes))


def asked(
    options: Namespace, candidate: Path | None = None, reference: Path | None = None, fusion: Path | None = None
) -> Asked:
    given = {"candidate": candidate, "reference": reference, "fusion": fusion}
    setup = setup_of(options)
    for need, path in given.items():
        setup = setup if path is None else setup.with_file(need, path)
    return asker(options)(setup)


def asker(options: Namespace) -> Callable[[Setup], Asked]:
    """What a call asks of any two runs."""
    return partial(asked_of, pieces=options.ffts, selection=_selection(options))


def _selection(options: Namespace) -> Selection:
    if options.range is not None:
        return in_range(options.range)
    return everything if options.select is None else selected(options.select)


def counts(options: Namespace) -> bool:
    """Whether operators are chosen by their place in the model."""
    return options.range is not None or options.select is not None


def folder(options: Namespace) -> Path:
    """Where the results go; it is made."""
    out = Path(options.output)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"The folder {out} could not be made.", "Choose another one with -out.") from error
    return out
