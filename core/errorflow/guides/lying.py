"""Files for a step's needs: given by the user, carried from an earlier step, or lying in a folder."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from errorflow.case.scenarios import scenario_of
from errorflow.case.scenarios.filling import Filling
from errorflow.case.scenarios.found import NOTHING, Discovered, FoundFile
from errorflow.case.scenarios.scenario import Scenario
from errorflow.case.session.model import GivenFiles, GuideProgress, StepProgress
from errorflow.guides.facts import Facts
from errorflow.guides.judging import SHARED, carried_file
from errorflow.guides.model import Flow, Step
from errorflow.study.evaluate.asked import LabelledSet

# A tensor of a comparison is called after its operator.
_OF_TENSOR = re.compile(r":(?:input|output):\d+$")
# In names of models that AMCT made.
_MADE = ("fake_quant", "deploy", "modified_model")
# What names the node that is to blame, the more telling last.
_NAMING = ("suspects", "sensitive", "per_layer", "nodes")


def row_of(step: Step) -> Scenario:
    """The step as a comparison of its own, with the needs that it has: proposals and pages take it like any other."""
    wanted = tuple(each.need for each in step.wanted)
    known = scenario_of(step.scenario)
    if known is None:
        return Scenario(step.key, step.title, step.why, wanted)
    keys = {need.key for need in wanted}
    return replace(known, needs=wanted, together=known.together if known.together <= keys else frozenset())


def filling_of(
    flow: Flow, step: Step, progress: GuideProgress, discovered: Discovered = NOTHING, emptied: Collection[str] = ()
) -> Filling:
    """Fills the needs: what the user gave counts most, then what an earlier step was given, then what was found.

    `emptied`: needs that the user left out, whatever could stand for them.
    """
    row = row_of(step)
    given: dict[str, Path | None] = {need.key: carried_file(flow, progress, step, need.key) for need in row.needs}
    given = _own_models(flow, progress.given) | {key: path for key, path in given.items() if path is not None}
    given |= dict.fromkeys(emptied)
    given |= dict(progress.step(step.key).files)
    chosen = {key: path for key, path in given.items() if row.need(key) is not None}
    return Filling(discovered, {row.key: chosen} if chosen else {})


def _own_models(flow: Flow, given: GivenFiles) -> dict[str, Path | None]:
    """Chooses the models for a step that runs them here; those of other frameworks cannot be run."""
    own = {"original": given.model, "quantized": given.quantized} if flow.framework in ("", "onnx") else {}
    return {key: path for key, path in own.items() if path is not None}


def facts_of(flow: Flow, progress: GuideProgress, discovered: Discovered = NOTHING, case: Path | None = None) -> Facts:
    """The user's own names, and the node that a step pointed at. `case`: the session."""
    known = [progress.step(step.key) for step in flow.steps]
    told = [each.texts for each in known]
    nodes = [texts[name] for texts in told for name in _NAMING if texts.get(name)]
    files = {key: path for each in known for key, path in each.files.items()}
    given = progress.given
    is_onnx = flow.framework in ("", "onnx")
    model = files.get("original") if given.model is None and is_onnx else given.model
    quantized = files.get("quantized") if given.quantized is None else given.quantized
    if quantized is None:
        quantized = _only_quantized(flow, discovered)
    node = nodes[-1].partition(", ")[0] if nodes else ""
    facts = Facts.of(replace(given, model=model, quantized=quantized), flow.framework, _OF_TENSOR.sub("", node))
    facts = with_inputs(facts, discovered)
    shared = {key: str(files[key]) for key in (*SHARED, "inputs") if key in files}
    if case is not None:
        shared["case"] = str(case)
    compared = _converted(flow, progress, discovered)
    return replace(facts, exported=str(files.get("original", "")), kind=_kind_of(known), compared=compared, **shared)


def _converted(flow: Flow, progress: GuideProgress, discovered: Discovered) -> tuple[str, ...]:
    """Lists what the operators of the conversion are looked at in; nothing where a part of it lacks."""
    step = flow.step("conversion")
    files = {} if step is None else filling_of(flow, step, progress, discovered).setup(row_of(step)).files
    found = [files[need] for need in ("candidate", "reference", "fusion") if need in files]
    return tuple(map(str, found)) if len(found) == 3 else ()


def with_inputs(facts: Facts, discovered: Discovered) -> Facts:
    """Adds the only archive that holds just what the model takes; it is a sample, too, where no others are given.

    Without one, a run that holds it among others can be fed from, too.
    """
    models = [found for found in discovered.of("onnx") if found.path == Path(facts.model)]
    taken = set(models[0].tensors) if models else set()
    archives = [found for found in discovered.of("arrays") if found.path.suffix == ".npz"]
    # Who has no model here to ask goes by the name that the guide proposes.
    fits = [each for each in archives if (set(each.tensors) == taken if taken else each.path.name == facts.inputs)]
    named = replace(facts, input_name=models[0].tensors[0]) if taken else facts
    if len(fits) != 1:
        holding = [each for each in archives if taken and taken <= set(each.tensors)]
        return replace(named, inputs=str(holding[0].path)) if len(holding) == 1 else named
    if not taken and len(fits[0].tensors) == 1:
        named = replace(named, input_name=fits[0].tensors[0])
    return replace(named, inputs=str(fits[0].path), samples=str(fits[0].path))


def _only_quantized(flow: Flow, discovered: Discovered) -> Path | None:
    """Finds the only quantized model, for a guide that has it run here."""
    models = discovered.of("onnx-quantized")
    asks = any(need.key == "quantized" for step in flow.steps for need in row_of(step).needs)
    return models[0].path if asks and len(models) == 1 else None


def labelled_of(flow: Flow, progress: GuideProgress, found: Mapping[str, Path]) -> LabelledSet:
    """The samples and their labels that any step was given, or what was found for this one; what lies in a folder per
    class says so itself."""
    known = {need: path for step in flow.steps for need, path in progress.step(step.key).files.items()}
    known |= found
    samples = known.get("samples")
    return LabelledSet() if samples is None else LabelledSet((str(samples),), known.get("labels"))


def _kind_of(known: Sequence[StepProgress]) -> str:
    """`weight` or `activation`, whichever costs more alone."""
    numbers = {name: value for each in known for name, value in each.numbers.items()}
    return "activation" if numbers.get("activations_end", 1.0) < numbers.get("weights_end", 1.0) else "weight"


def own_of(flow: Flow, given: GivenFiles, discovered: Discovered) -> GivenFiles:
    """Adds the user's model and its weights where the only ones that can be meant were found."""
    if given.model is not None:
        return given
    models = [found.path for found in discovered.found if _is_original(flow, found)]
    if len(models) != 1:
        return given
    weights = models[0].with_suffix(".caffemodel")
    return replace(given, model=models[0], weights=weights if _is_there(weights) else given.weights)


def is_other_case(flow: Flow, given: GivenFiles, found: Discovered) -> bool:
    """Whether what was looked through is about another model than the one that the guide is followed for."""
    other = own_of(flow, GivenFiles(), found).model
    return given.model is not None and other is not None and other != given.model


def _is_original(flow: Flow, found: FoundFile) -> bool:
    suffix = found.path.suffix.lower()
    made = any(word in found.path.stem for word in _MADE)
    if flow.framework == "caffe":
        return suffix == ".prototxt" and not made
    return flow.framework in ("onnx", "") and found.kind == "onnx" and not made


def _is_there(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # its drive is gone
        return False
