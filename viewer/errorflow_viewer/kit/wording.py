"""Sentences of the engine in the window: what names an option of the command line names what is here in its place.

A test goes over all sentences of the engine. To add one: a row here, the longer ones first.
"""

import re
from functools import cache

_HERE: tuple[tuple[str, str], ...] = (
    # The menu of the system
    (r"Name a folder that you may write to with --prefix DIR, or set", "Ask for the right to write there, or set"),
    (r"Set HOME, or name a folder with --prefix DIR\.", "Set HOME and start Errorflow again."),
    # Samples and inputs
    (r"; or make samples up with --random SEED", "; or have samples made up"),
    (r", or make samples up with --random SEED", ", or have samples made up"),
    (r"Give them with --inputs FILE\.npz, (.*), or make them up with --random SEED", r"Give an .npz, \1"),
    (r"Say it with --dim [^.]*?, or --resize none[^.]*\.", "Fill in the sizes beside the samples, or do not resize."),
    (r"Say it with --dim .*", "Fill in the sizes beside the samples."),
    (r"Write it like this: --dim N=1, or --dim x\[2\]=640", "Write it like this: N=1, or x[2]=640"),
    (r"It leaves none open: drop --dim\.", "It leaves none open."),
    (r"Say how it is to be resized: .*", "Choose how pictures are resized."),
    (r", or --resize none to take", ", or do not resize, to take"),
    (r"Say another layout with --layout", "Choose another layout"),
    (r"Say --layout .*", "Choose the layout."),
    (r"--mean", "Mean"),
    (r"--std", "Standard deviation"),
    (r"--calibrate-on", "“Calibrate on”"),
    (r"Give more with --data\.|Give --samples 1 or more\.", "Give more samples."),
    (r"Give --calibration FILE or --data DIR\.", "Simulate with samples first."),
    (r"; give real ones with --inputs|: give real ones with --inputs", ": give real ones"),
    (r"the path given with --inputs", "the path"),
    (r"Give an array with --inputs", "Give an array"),
    # Models, ranges and plans
    (r"Leave out --reference: it is the float model\.", "Leave out the float model: it is one itself."),
    (r" with --reference:", ":"),
    (r"Calibrate (.*?)with --per-channel\.", r"Calibrate \1with ranges per channel."),
    (r"`errorflow calibrate` writes one\.", "“Save calibration as…” writes one."),
    (r"`errorflow calibrate` writes some\.", "“Save calibration as…” writes some."),
    (r"`errorflow calibrate --method all` compares them\.", "Choose one."),
    (r"that `errorflow simulate` writes", "that “Save plan as…” writes"),
    (r"for `errorflow simulate --plan`", "for the panel Simulate"),
    (r"`errorflow inspect MODEL --nodes` lists them\.", "The panel Nodes lists them."),
    (r"as tensors\.csv of `errorflow calibrate` has it", "as its outputs are called in the panel Details"),
    (r"that `errorflow calibrate` finds, with --calibration and without --data", "that were saved as calibration"),
    (r"(N|n)ame folders that `errorflow simulate --out` wrote", r"\1ame folders that a simulation was saved to"),
    # What is good enough, and what is searched
    (r"Give a bound, such as --target .*", "Choose “At most” or “At least” in place of it."),
    (r'(Say it with|Write) --target "top1.*', "Write a value."),
    (r", or say it with --max-drop 0\.01", ", or write a value"),
    (r"Name their file with --labels, .* --metric agreement\.", "Choose their file."),
    (r"Choose another output with --output", "Choose another output"),
    (r"Name a tensor inside with --output", "Choose a model that has one"),
    (r"Give it more with --time-limit( SECONDS)?", "Give it more time"),
    (r"and go on with --resume", "and press Go on"),
    (r"Search again without --resume", "Find again"),
    (r"Start anew without --resume, or ask as before\.", "Ask as before, or anew."),
    (r"; with --by node", "; with nodes"),
    (r", or without --only for all|, and without --only for all", ", or for all"),
    (r"Ask for some of them with --only\.", "Ask for nodes in place of tensors, or for one kind of tensor."),
    (r"Give some with --group a\+b\.", "Ask for nodes or units."),
    (r"Rank with --measure impact\.", "Rank by impact."),
    (r"Rank this model, by `errorflow sensitivity`\.", "Rank this model."),
    (r"`errorflow sensitivity` writes one\.", "The panel Ranking writes one."),
    (r"that `errorflow curve` writes", "that the panel Curves writes"),
    (r", or leave out --workers and --scheduler", ""),
    (r"Choose another (one|folder) with --out\.", r"Choose another \1."),
    # Toolchains
    (r"Say whose it is with --from\.", "Choose a file that one of the toolchains writes or takes."),
    (r"Leave out --base\.", "Export without a file of yours."),
    (
        r"; with --base, the file that (\w+) wrote, it is whole",
        r"; started from your own file, that of \1, it is whole",
    ),
    # Sessions
    (r"`errorflow session FILE --look-in FOLDER` finds them by their names\.", "Open it: it asks where they are now."),
    (r", or the folder that `errorflow compare` wrote", ", or the tensors.csv that a comparison wrote"),
    (r"tensors\.csv of `errorflow compare` or `simulate`, or a session", "tensors.csv of a comparison, or a session"),
    # Pipelines
    (r", or name the files: --input A B, --output A B, --result A B", ""),
    (r"Add --shapes (\S+)\.", r"Say its shape under “Shapes of raw files”: \1."),
    (r"Use `errorflow compare`, which reads it in pieces\.", "Compare the two as runs: that reads it in pieces."),
    (r"Run each with `errorflow run` and compare the two runs\.", "Run each on its own, and compare the two runs."),
    # Guides
    (r", or say --force to replace them", ", or replace them"),
    # What names the field as well
    (r" \(--[a-z-]+([ :][^()]*)?\)", ""),
)
_OPTION = re.compile(r"--[a-z]|`errorflow")


def in_window(text: str) -> str:
    """Writes a sentence of the engine for a window, which has fields, buttons and panels in place of options."""
    if _OPTION.search(text) is None:
        return text
    for pattern, words in _rules():
        text = pattern.sub(words, text)
    return text


@cache
def _rules() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Compiled when they are needed, which a start has no time for."""
    return tuple((re.compile(pattern), words) for pattern, words in _HERE)
