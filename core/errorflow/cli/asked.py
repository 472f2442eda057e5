"""Requests of a call of `errorflow compare`, in the words of matching."""

from argparse import Namespace
from pathlib import Path

from errorflow.base.errors import FileError
from errorflow.case.scenarios import scenario_of
from errorflow.case.scenarios.call import asked_of, key_of
from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.model import HandPair, Session
from errorflow.case.values import Narrowed
from errorflow.cli.run import fed_by
from errorflow.compare.match.plan import MatchRequest
from errorflow.compare.match.selection import Selection, everything, in_range, selected
from errorflow.formats.onnx.claims import can_be_run


def setup_of(options: Namespace) -> Setup:
    """The files of a call, by need, as the window has them for the same comparison."""
    given = {
        "candidate": options.my_dump_path,
        "reference": options.golden_dump_path,
        "fusion": options.fusion_rule_file,
        "quantization": options.quant_fusion_rule_file,
        "closed_fusion": options.close_fusion_rule_file,
        "scales": options.scales,
        "simulator": options.simulator,
        "model": options.model,
        "inputs": options.inputs[0] if options.inputs else None,
    }
    files = {need: Path(path) for need, path in given.items() if path}
    if not options.simulator and can_be_run(files["candidate"]) and can_be_run(files["reference"]):
        inputs = {need: path for need, path in files.items() if need == "inputs"}
        models = {"original": files["reference"], "quantized": files["candidate"]}
        return Setup("onnx", {**models, **inputs}, tuple(options.shapes))
    key = key_of(files)
    row = scenario_of(key)
    if row is not None and "model" in files and row.need("model") is None and row.need("original") is not None:
        files["original"] = files.pop("model")
    return Setup(key, files, tuple(options.shapes))


def session_of(options: Namespace) -> Session:
    """Makes the session that a call asks for."""
    from errorflow.cli.hand_pairs import wanted_pairs

    pairs = tuple(HandPair(candidate, reference) for candidate, reference in wanted_pairs(options))
    setup = setup_of(options)
    return Session(setup.shown, setup, hand_pairs=pairs)


def narrowed(options: Namespace) -> Narrowed:
    """Reads what a call asks for besides the files."""
    return Narrowed(options.ffts, _selection(options), fed_by(options))


def asked(
    options: Namespace, candidate: Path | None = None, reference: Path | None = None, fusion: Path | None = None
) -> MatchRequest:
    given = {"candidate": candidate, "reference": reference, "fusion": fusion}
    setup = setup_of(options)
    for need, path in given.items():
        setup = setup if path is None else setup.with_file(need, path)
    return asked_of(setup, pieces=options.ffts, selection=_selection(options))


def _selection(options: Namespace) -> Selection:
    if options.range is not None:
        return in_range(options.range)
    return everything if options.select is None else selected(options.select)


def counts(options: Namespace) -> bool:
    """Whether operators are chosen by their place in the model."""
    return options.range is not None or options.select is not None


def folder(options: Namespace) -> Path:
    """Makes the folder where the results go."""
    out = Path(options.output)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"The folder {out} could not be made.", "Choose another one with -out.") from error
    return out
