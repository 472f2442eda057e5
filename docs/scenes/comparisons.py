"""What comparisons show."""

from errorflow.case.scenarios.setup import Setup
from errorflow.case.session.file import write_session
from errorflow.case.session.model import Session
from scenes.stage import LOW, Stage, inputs_of, sample_of


def changes(stage: Stage) -> None:
    """Yesterday's build against today's."""
    cases = {}
    for name, key in (("yesterday", "drift"), ("today", "node_fault")):
        sample = sample_of(key)
        files = {"model": sample.model, "reference": sample.reference_run, "candidate": sample.candidate_run}
        cases[name] = stage.folder / f"{name}.errorflow"
        write_session(Session(sample.model, Setup("runs", files)), cases[name])
    window = stage.window
    window.open(cases["today"])
    stage.wait(lambda: window.document.state.findings is not None, "the comparison")
    stage.settle()
    window.earlier.compare(cases["yesterday"])
    stage.press("panel.changes")
    stage.wait(lambda: (known := window.document.state.findings) is not None and known.against is not None, "the other")
    window.banners.leave_model()
    stage.size_panel("changes", height=LOW)


def matches(stage: Stage) -> None:
    """Two models were run and compared: who stands for whom."""
    sample = sample_of("node_fault")
    inputs = inputs_of(sample, stage.folder)
    files = {"candidate": sample.candidate_model, "reference": sample.model, "inputs": inputs}
    stage.window.comparisons.start(Setup("onnx", files))
    stage.wait(lambda: stage.window.document.state.findings is not None, "the comparison")
    stage.window.banners.leave_model()
    stage.settle()
    stage.press("panel.matches")
    stage.size_panel("matches", height=LOW)


def sample(stage: Stage) -> None:
    """As it opens."""
    stage.open(sample_of("node_fault"))
    stage.wait(lambda: stage.window.document.state.findings is not None, "the colours")


def drifting(stage: Stage) -> None:
    stage.open(sample_of("drift"))
    stage.show_colours()
    stage.hide("profile", "runs")
    stage.press("fit")


def second(stage: Stage) -> None:
    """The float model beside its int8 form, which is proposed."""
    stage.open(sample_of("node_fault"))
    stage.show_colours()
    stage.hide("nodes", "simulate", "profile", "runs")
    stage.press("second.side")
    stage.window.pair.second.open_proposed()
    stage.wait(lambda: stage.window.pair.second.model is not None, "the second graph")
    stage.settle()
