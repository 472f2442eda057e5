"""Texts that the walk over the code cannot find: words that are put together elsewhere, and texts that are never
seen.
"""

import re

from errorflow_viewer.kit.wording import in_window as _in_window

# Modules of the command line and what serves it alone; `TAKEN` are those of them that answer in another language.
LEFT_OUT = (
    "errorflow.cli",
    "errorflow.report.demo",
    "errorflow.report.convert_all",
    "errorflow.base.language",
    "errorflow.report.families",
    "errorflow.case.scenarios.hints",
    "errorflow.compare.match.fusion.golden",
    "errorflow_viewer.app.self_test",
    "errorflow_viewer.kit.wording",
    "errorflow_viewer.kit.translation",
)
TAKEN: frozenset[str] = frozenset()

# By where they come from; each is said by code that puts it together, or that has it as one word in a table.
TEXTS: tuple[str, ...] = (
    # Menus and buttons that are too short to be seen as labels
    "Go",
    "Up",
    # Facts of a file
    "Producer",
    # Kinds of files, in sentences about a broken one
    "plan",
    "ranking",
    "calibration",
    # Verdicts, and how they were found
    "origin",
    "carrier",
    "amplifier",
    "likely",
    "possible",
    "hardly",
    "healer",
    "clean",
    "exact",
    "estimated",
    "not measured",
    # Measures and sides
    "impact",
    "recovery",
    "accumulated",
    "introduced",
    "inherited",
    "reference",
    "candidate",
    "float",
    "good",
    "bad",
    "worse",
    "better",
    "|candidate − reference|",
    "|candidate − reference| / |reference|",
    # States of what a comparison needs
    "missing",
    "chosen",
    "given",
    "Nothing",
    # What lists hold
    "changes",
    "differences",
    "matches",
    "notes",
    "outliers",
    "types",
    "verdicts",
    "lines",
    "nodes",
    "tensors",
    "weights",
    "activations",
    "channels",
    "samples",
    "units",
    "Steps",
    # Differences of two graphs
    "Inserted",
    "Merged",
    "Regrouped",
    "Removed",
    "Split",
    "differs",
    "yes",
    "no",
    # The sentence of choices in the ranking: by … in … at … on …
    "by",
    "in",
    "at",
    "on",
    "{parts} to {precision}",
    "these",
    "this one",
    "these {count}",
    # Details: what an edge comes from and leads to; the head of the inspector
    "from",
    "to",
    "Weight {number}",
    # The legend and the pointer on a share, which is no part of something
    "Share of blame ({formula})",
    "Share of blame {value}",
    # Samples
    "for {name} {type} {shape}",
    "Choose a folder with samples",
    "Choose files with samples",
    "{thing}'s tensors",
    # What the script of the report's page says itself
    "Depth",
    "Relative error of what it makes",
    "What the node itself adds",
    "What arrives and passes through",
    "Of its error, what it adds itself",
    "The part of the error at the output that goes back to the node",
    "It stands in a closed group of the drawing.",
    "Show all",
    "rows",
    "As the system",
    "Theme",
    "Light",
    "Dark",
    # Tables of the manual
    "comparison",
    "take it when",
    "what it takes",
    "what it is",
    "how to get it",
    "if there is one",
    "decides",
    "stands aside",
    "Accuracy",
    # What a mark says of a node that is switched in part
    "part",
    # What looks like code or like one name
    'Compile again with a switch file that says {"Switch": {"GraphFusion": {"ALL": "off"}, '
    '"UBFusion": {"ALL": "off"}}}, then print its JSON.',
    "Min-max",
    "evaluate(run) and good_enough(original, new)",
)
NOT_TEXTS: frozenset[str] = frozenset(
    (
        "_quant.json.", ".node.", "Opdebug.Node_OpDebug.", "metadata.", "KIND = {kind!r}", "errorflow.node.",
        "errorflow.", "&nbsp; {hinted}", "{link} &nbsp; {link2}", "#view {rule}", "{own_names}smooth:",
        # Of scripts
        "Draws how the error grows along the model, of weights alone and of activations alone.",
        "Draws how the values of the most sensitive nodes are spread.",
        "Draws what leaving the most sensitive nodes in float gains.",
        "Prints how much each node alone costs, of weights and of activations.",
        "from amct_{kind}.common.auto_calibration import AutoCalibrationEvaluatorBase",
        "non_quantize_node=[nodes[:count] for count in range(1, min(COUNT, len(nodes)) + 1)]",
        # Of methods that data classes are given, and what a frozen one refuses
        "_d_{name}() if {name} is _lacks else {name}", "self.{name} = {value}", "return hash({values})",
        'return f"{self.__class__.__qualname__}({shown})"', "assign to", "cannot {verb} field {name}",
        "return {is_same} if other.__class__ is self.__class__ else NotImplemented",
        # What desktops keep, and what is said to other programs
        "Default Applications", "MIME Cache", "no home", 'exec "$0" "$@"', "on run argv", "end run",
        "display alert (item 1 of argv) message (item 2 of argv) as critical",
        # Fonts, and widgets that have some of their own
        "Microsoft YaHei UI", "PingFang SC", "Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC",
        "Source Han Sans CN", "WenQuanYi Micro Hei", "Errorflow Sans", "QMenu", "QLabel",
        # What --help says, of which the rest is known as such
        "Shows a model as a graph.",
        # Keys of work that goes on, and of settings
        "switch more", "switch all", "decision names", "difference rows", "save methods", "match rows", "runs file",
        "search files", "keep results", "simulate model", "simulate samples", "simulate plan", "simulate result",
        "inspector.every sample", "job {key}", "attribute {name}", "fact {label}", "cut {end} {across}",
        "errorflow calibration", "errorflow ranking", "open session", "save session", "look for files", "close bench",
        "simulation file", "mine shares", "golden shares", "since on the graph", "change rows", "{measure} done",
    )
)  # fmt: skip


def in_window(text: str) -> str:
    """Writes a text as the window has it, which has no options; holes stay."""
    return re.sub(r"\s*\n\s*", "\n", _in_window(text))
