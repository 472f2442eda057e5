"""What a call of `errorflow compare` asks for, in the words of matching."""

from argparse import Namespace
from pathlib import Path

from errorflow.errors import FileError
from errorflow.match.plan import Asked
from errorflow.match.selection import Selection, everything, in_range, selected


def asked(
    options: Namespace, candidate: Path | None = None, reference: Path | None = None, fusion: Path | None = None
) -> Asked:
    return Asked(
        candidate=Path(options.my_dump_path) if candidate is None else candidate,
        reference=Path(options.golden_dump_path) if reference is None else reference,
        fusion=options.fusion_rule_file if fusion is None else str(fusion),
        quantization=options.quant_fusion_rule_file,
        closed_fusion=options.close_fusion_rule_file,
        pieces=options.ffts,
        selection=_selection(options),
        model=options.model,
        shapes=tuple(options.shapes),
        scales=options.scales,
    )


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
