"""Texts of the code that a user may see: judged by what is done with them, and by what they look like."""

import ast
import re

from make_language.templates import HOLE, called


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What compares, searches, logs or keeps, and shows nothing.
SILENT_CALLS = _names(
    """
    add_argument add_argument_group add_mutually_exclusive_group add_parser Command ArgumentParser Parser
    compile search match sub subn fullmatch finditer findall split rsplit partition rpartition startswith endswith
    removeprefix removesuffix replace_all get getattr setattr hasattr delattr pop setdefault index find rfind count
    setProperty property setObjectName setStyleSheet debug exception open encode decode read_text write_text
    TypeVar NewType ParamSpec cast glob rglob with_suffix with_name joinpath Path environ getenv setValue value
    errstate dtype astype zeros ones empty full argsort array asarray frombuffer quantile searchsorted
    make_node make_tensor make_model make_graph add_session_config_entry import_module files QKeySequence QColor
    TemporaryDirectory NamedTemporaryFile mkdtemp turn is_on panel_shown show_panel toggle_panel follow is_
    setFamily setFontFamily Tag setContextProperty iconset icon pixmap from_bytes to_bytes strip lstrip rstrip
    fromkeys translate maketrans namedtuple struct Struct unpack pack _fields entry_points einsum
    also_called version __import__ print_help AssertionError NotImplementedError KeyError TypeError
    lock addLibraryPath testAttribute word_list word_pairs
    """
)
# Their keywords that show nothing either; the rest of what they are given may be seen.
SILENT_KEYWORDS = _names("key choice also_called encoding errors kind over invalid prefix dest metavar mode also_in")
# Where a logger is asked to write; what they get is for whoever reads the log of a fault.
LOGGERS = _names("log logger _log _logger LOG logging")
# Calls of the engine whose single words are read by somebody, and which of their arguments.
SPOKEN = {
    "Fact": None,
    "AccountFact": None,
    "Axis": {0},
    "Layer": None,
    "Figure": None,
    "NodeColumn": {1},
    "Column": None,
    "MsaccucmpColumn": None,
    "Need": {1},
    "Scenario": {1},
    "MatchScenario": {1},
    "step": {2},
    "Preset": {1},
    "LimitPreset": {1},
    "Field": {2},
    "FormField": {2},
    "Section": {0},
    "Suits": None,
    "Rule": {1, 3},
    "MatchRule": {1, 3},
    "ShapeRule": {1, 3},
    "AcceptRule": {1, 3},
    "Changed": None,
    "Advice": {0, 1, 2, 4},
    "ToolAdvice": {0, 1, 2, 4},
    "Metric": {1},
    "Toolchain": {1},
    "Strategy": {1},
    "Method": {1},
    "Entry": {1},
}
WORD = re.compile(r"[A-Za-z][a-z’']+")
_TAG = re.compile(r"<[^<>]*>")
_PIECES = re.compile(r"</?[A-Za-z!][\w-]*(?:\s[^<>]*)?/?>|\n")
_CODE = re.compile(
    r"\\[AdsSwbx]|\(\?|\[\^|px;|\{\{|\}\}|#\w{6}|^--|^-\w |^\W*\w+=\S*$|::|^\.\w+$|^https?:|^[\w/.-]+/[\w/.-]*$|%\("
    r"|\$\{|^# |^errorflow \w+ \S*[/{]|^pulsar2 build "
    r"|^\s*[\w-]+(,[\w-]+){2,}|^import |^from \w+ import|^def |^class |^\w+\(.*\)$|^\w+\[.*\]$|\bstroke-|viewBox"
    r"|^[\w.]+( \| [\w.\[\]]+)+$|^\[\{|%s|%d|\w+=\"|style=|text-anchor|(color|font[\w-]*): ?[{#\w]|^[a-z]\w*:$|^:\w+:"
    r"|^\^|<\w+ "
    r"|^\w+ = \w+[.(]|^'[\w ]+'$|Sans, |: \{'|^\w*_\w+: ?|^[A-Z]\w+( [A-Z]\w+){3,}|[<>]= ?\w+ ratio"
)
# One word that begins like a label: `Open…`, `&Quit`, `Com&pare`.
_LABEL = re.compile(r"^[A-Z]?&?[A-Z]?[a-z]+(&[a-z]+)?[a-z]*(…|:|\.)?$")


# Lines of programs, of style sheets and of tables of fields.
_PROGRAM = re.compile(
    r"^\s*(import \w|from \w+ import|def \w+\(|(for|if|with|elif|while) .*:$|return\b|raise\b|\d+ \w+ \w+,"
    r"|[\w-]+: [^;\n]+;$|[\w.:\[\]#, -]+\{)",
    re.MULTILINE,
)


def is_program(text: str) -> bool:
    """A file that is written for a tool; its lines are not read in the window as sentences."""
    return text.count("\n") > 1 and bool(_PROGRAM.search(text))


def is_silent(node: ast.expr, parents: list[ast.AST]) -> bool:
    """Whether what is done with a text cannot show it. `parents` go outwards, the nearest first."""
    inner: ast.AST = node
    for parent in parents:
        if _hides(parent, inner):
            return True
        if isinstance(parent, ast.stmt):
            return False
        inner = parent
    return False


def _hides(parent: ast.AST, inner: ast.AST) -> bool:
    match parent:
        case ast.Call():
            return _silent_call(parent, inner)
        case ast.Compare() | ast.MatchValue() | ast.Assert() | ast.Delete():
            return True
        case ast.Subscript(slice=index):
            return index is inner
        case ast.Dict(keys=keys):
            return inner in keys
        case ast.AnnAssign(annotation=annotation):
            return annotation is inner
        case ast.arg() | ast.Import() | ast.ImportFrom():
            return True
        case ast.FunctionDef(returns=returns) | ast.AsyncFunctionDef(returns=returns):
            return returns is inner
        case ast.Assign(targets=[ast.Name(id="__all__" | "__slots__")]):
            return True
    return False


def _silent_call(call: ast.Call, inner: ast.AST) -> bool:
    name, owner = called(call), call.func
    if inner is owner:
        return False
    if isinstance(inner, ast.keyword):
        return inner.arg in SILENT_KEYWORDS or name in SILENT_CALLS
    if isinstance(owner, ast.Attribute) and isinstance(owner.value, ast.Name) and owner.value.id in LOGGERS:
        return True
    if name == "replace":
        return isinstance(owner, ast.Attribute)
    return name in SILENT_CALLS


def reads(text: str) -> bool:
    """Whether a text can be read: words, and no code."""
    bare = HOLE.sub(" ", _TAG.sub(" ", text))
    words = WORD.findall(bare)
    if not words or _CODE.search(text.strip()):
        return False
    return " " in text.strip() or bool(re.search(r"[.…:]$", text.strip()))


def is_label(text: str) -> bool:
    """Whether a text is one word that starts with a capital, as buttons and columns have it."""
    return bool(_LABEL.match(text.strip())) and any(letter.isupper() for letter in text) and len(text.strip()) > 2


def is_spoken(node: ast.expr, parents: list[ast.AST], in_viewer: bool) -> bool:
    """Whether a single word is shown where it stands."""
    if in_viewer:
        return True
    parent = parents[0]
    name = ""
    if isinstance(parent, ast.keyword):
        name, parent = parent.arg or "", parents[1]
    if not isinstance(parent, ast.Call) or called(parent) not in SPOKEN:
        return name in ("label", "title", "text")
    places = SPOKEN[called(parent)]
    return places is None or (node in parent.args and parent.args.index(node) in places) or name in ("label", "title")


def pieces(text: str) -> list[str]:
    """Lists what is read of a text: a line each, without tags and the marks that join it to its neighbours."""
    return [piece for piece in (trimmed(part) for part in _PIECES.split(text)) if piece]


_JOINS = " \t\n,;·–—:()[]|/→“”\"'"


def trimmed(text: str) -> str:
    """Trims what joins a text to its neighbours; a full stop and an ellipsis belong to it."""
    bare = text.strip().strip(" ,;·–—|")
    for opening, closing in (("(", ")"), ("[", "]"), ("“", "”")):
        if bare.startswith(opening) and closing not in bare:
            bare = bare[1:]
        if bare.endswith(closing) and opening not in bare:
            bare = bare[:-1]
        if bare.startswith(opening) and bare.endswith(closing) and bare.count(opening) == 1:
            bare = bare[1:-1]
    return bare.strip().strip(" ,;·–—|")
