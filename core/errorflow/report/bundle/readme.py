"""What stands in README.txt: how a bundle is opened, what is in it, and what is not."""

from collections.abc import Iterator

from errorflow.report.bundle.model import Choice, Manifest

_INSIDE = (
    ("ticket.md", "the form: what was compared, the verdict, the answers, blanks"),
    ("report.html", "all that was found, for any browser"),
    ("tables/", "nodes and tensors with all measures, for a spreadsheet"),
    ("case.errorflow", "the session: what was decided, noted and tried"),
    ("config/", "the call of the command line, the plan, settings of toolchains"),
    ("versions.txt", "what it was measured with"),
    ("results/", "the graph without weights and all measures, for Errorflow"),
    ("tensors/", "the tensors of the chosen nodes, as .npy"),
    ("inputs/", "what the models were fed with"),
    ("model/", "the models with their weights"),
    ("manifest.json", "what is in here, what was left out and why, a checksum of each file"),
)


def readme_text(manifest: Manifest, choice: Choice) -> str:
    return "\n".join(_lines(manifest, choice)) + "\n"


def _lines(manifest: Manifest, choice: Choice) -> Iterator[str]:
    yield f"{manifest.title}: a ticket bundle, {manifest.said}."
    yield ""
    yield "Open this .zip in Errorflow: drop it onto the window, or call `errorflow-viewer case.zip`."
    yield "Without Errorflow read ticket.md, and open report.html in a browser."
    yield "To put the original files beside it: `errorflow session case.zip --unpack FOLDER`."
    yield ""
    yield "Inside"
    left = {"tensors/": not manifest.nodes, "inputs/": not choice.inputs, "model/": not choice.model}
    yield from (f"  {name:16} {what}" for name, what in _INSIDE if not left.get(name, False))
    if manifest.left_out:
        yield ""
        yield "Not inside"
        yield from (f"  {each.what}: {each.why}." for each in manifest.left_out)
    yield ""
    yield "Taken out"
    yield f"  folders of files: {'yes' if choice.redactions.paths else 'no'}"
    yield f"  names of users and machines: {'yes' if choice.redactions.names else 'no'}"
