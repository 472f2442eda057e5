"""Call of quantize_static in a script, as far as it is written out. Nothing of the script runs."""

import ast
from collections.abc import Mapping

from errorflow.base.errors import FormatError
from errorflow.base.values import word_list

DTYPES = {
    "QInt8": "int8",
    "QUInt8": "uint8",
    "QInt16": "int16",
    "QUInt16": "uint16",
    "QInt4": "int4",
    "QUInt4": "uint4",
}
_HINT = "Take a script that calls quantize_static with lists and words that are written out."
# In the order in which the tool takes them where they are not named.
_ORDER = word_list(
    "model_input model_output calibration_data_reader quant_format op_types_to_quantize per_channel reduce_range "
    "activation_type weight_type nodes_to_quantize nodes_to_exclude use_external_data_format calibrate_method "
    "calibration_providers extra_options"
)
_LISTS = ("op_types_to_quantize", "nodes_to_quantize", "nodes_to_exclude")
_SWITCHES, _TYPES = ("per_channel", "reduce_range"), ("activation_type", "weight_type")
# What of extra_options a plan can say.
_OPTIONS = ("ActivationSymmetric", "WeightSymmetric", "QuantizeBias", "TensorQuantOverrides")
_REST = "…"


class Unknown:
    """Value that only running the script would tell."""


UNKNOWN = Unknown()
Known = dict[str, object]
Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef


def called(text: str, name: str) -> Known:
    """The names that have values where quantize_static is called last, and over them what it is called with."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise FormatError(f"{name} is no Python.", _HINT) from error
    calls = _calls(tree)
    if not calls:
        raise FormatError(f"{name} does not call quantize_static.", _HINT)
    scopes, call = calls[-1]
    known: Known = {}
    for scope in scopes:
        known |= dict.fromkeys(_parameters(scope), UNKNOWN)
        # A module has run to its end when a function of it is called.
        _follow(scope.body, known, call.lineno if scope is scopes[-1] else None)
    return known | _arguments(call, known)


def not_understood(found: Mapping[str, object]) -> tuple[str, ...]:
    """A sentence on what it is called with and is not written out: of that the plan knows nothing."""
    odd = [key for key in _LISTS if not _is_list_of_words(found.get(key))]
    odd += [key for key in _SWITCHES if not isinstance(found.get(key), bool | None)]
    odd += [key for key in _TYPES if found.get(key) is not None and found.get(key) not in DTYPES]
    options = found.get("extra_options")
    if options is not None and (not isinstance(options, dict) or _REST in options):
        odd.append("extra_options")
    odd += [f"extra_options[{key}]" for key in _OPTIONS if _is_unknown(as_dict(options).get(key))]
    odd += ["what * and ** stand for"] if _REST in found else []
    if not odd:
        return ()
    return (f"Not written out, and not taken over, at least not whole: {', '.join(odd)}. Nothing of a script runs.",)


def words_of(found: Mapping[str, object], key: str) -> tuple[str, ...]:
    """Lists the words that are written out."""
    value = found.get(key)
    return tuple(word for word in value if isinstance(word, str)) if isinstance(value, list) else ()


def as_dict(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _is_list_of_words(value: object) -> bool:
    return value is None or (isinstance(value, list) and all(isinstance(word, str) for word in value))


def _is_unknown(value: object) -> bool:
    if isinstance(value, list | dict):
        return any(_is_unknown(each) for each in (value.values() if isinstance(value, dict) else value))
    return value is UNKNOWN


def _calls(tree: ast.Module) -> list[tuple[tuple[Scope, ...], ast.Call]]:
    """Each call, with the module and the functions that it stands in, in the order of the file."""
    stack: list[tuple[tuple[Scope, ...], ast.AST]] = [((tree,), tree)]
    found = []
    while stack:
        scopes, node = stack.pop()
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "quantize_static":
            found.append((scopes, node))
        inner = (*scopes, node) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else scopes
        stack += [(inner, child) for child in ast.iter_child_nodes(node)]
    return sorted(found, key=lambda each: (each[1].lineno, each[1].col_offset))


def _parameters(scope: Scope) -> list[str]:
    if isinstance(scope, ast.Module):
        return []
    return [node.arg for node in ast.walk(scope.args) if isinstance(node, ast.arg)]


def _arguments(call: ast.Call, known: Mapping[str, object]) -> Known:
    found: Known = {}
    for key, node in zip(_ORDER, call.args, strict=False):
        if isinstance(node, ast.Starred):
            found[_REST] = UNKNOWN
            break
        found[key] = _value(node, known)
    for word in call.keywords:
        value = _value(word.value, known)
        if word.arg is not None:
            found[word.arg] = value
        elif isinstance(value, dict):
            found |= value
        else:
            found[_REST] = UNKNOWN
    return found


def _follow(body: list[ast.stmt], known: Known, until: int | None) -> None:
    """Follows one statement after the other, as far as a line. What is done under a condition leaves nothing known."""
    for line in body:
        if until is not None and line.lineno > until:
            return
        match line:
            case ast.With(body=inner) | ast.If(test=ast.Compare(left=ast.Name(id="__name__")), body=inner):
                _follow(inner, known, until)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                known[line.name] = UNKNOWN
            case _:
                _do(line, known)


def _do(line: ast.stmt, known: Known) -> None:
    match line:
        case ast.Assign(targets=targets, value=value):
            found = _value(value, known)
            for target in targets:
                _set(target, found, known)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            _set(target, _value(value, known), known)
        case ast.AugAssign(target=ast.Name(id=name), op=operator, value=value):
            known[name] = _joined(operator, known.get(name, UNKNOWN), _value(value, known))
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr), args=[value])):
            _change(name, attr, _value(value, known), known)
        case _:
            known |= dict.fromkeys(_touched(line), UNKNOWN)


def _set(target: ast.expr, value: object, known: Known) -> None:
    if isinstance(target, ast.Name):
        known[target.id] = value
    else:
        known |= dict.fromkeys(_touched(target), UNKNOWN)


def _change(name: str, method: str, value: object, known: Known) -> None:
    """A list that grows; whatever else a method does to what was known is not known."""
    before = known.get(name, UNKNOWN)
    if isinstance(before, list) and method == "append":
        known[name] = [*before, value]
    elif isinstance(before, list) and method == "extend":
        known[name] = _joined(ast.Add(), before, value)
    elif isinstance(before, list | dict):
        known[name] = UNKNOWN


def _touched(line: ast.AST) -> set[str]:
    """Names that it may give another value, or whose value it may change."""
    found = set()
    for node in ast.walk(line):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            found.add(node.id)
        elif isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.value, ast.Name):
            found.add(node.value.id)
    return found


def _joined(operator: ast.operator, first: object, second: object) -> object:
    """Joins lists; of one of which a part is not known the rest is."""
    if not isinstance(operator, ast.Add) or not (isinstance(first, list) or isinstance(second, list)):
        return UNKNOWN
    return [each for one in (first, second) for each in (one if isinstance(one, list) else [UNKNOWN])]


def _value(node: ast.expr, known: Mapping[str, object]) -> object:
    """A value that is written out, a name that has one, or the last word of QuantType.QInt8; else `UNKNOWN`."""
    match node:
        case ast.Name(id=name):
            return known.get(name, UNKNOWN)
        case ast.Attribute(attr=attr):
            return attr if attr in DTYPES else UNKNOWN
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            return [value for each in elements for value in _element(each, known)]
        case ast.Dict():
            return _dictionary(node, known)
        case ast.Call(func=ast.Name(id="list" | "tuple" | "set" | "sorted"), args=[one], keywords=[]):
            value = _value(one, known)
            return value if isinstance(value, list) else UNKNOWN
        case ast.BinOp(left=left, op=operator, right=right):
            return _joined(operator, _value(left, known), _value(right, known))
    try:
        return ast.literal_eval(node)
    except (ValueError, RecursionError, TypeError):
        return UNKNOWN


def _element(node: ast.expr, known: Mapping[str, object]) -> list[object]:
    if not isinstance(node, ast.Starred):
        return [_value(node, known)]
    value = _value(node.value, known)
    return value if isinstance(value, list) else [UNKNOWN]


def _dictionary(node: ast.Dict, known: Mapping[str, object]) -> dict[str, object]:
    made: dict[str, object] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        inside = _value(value, known)
        if isinstance(key, ast.Constant):
            made[str(key.value)] = inside
        elif key is None and isinstance(inside, dict):
            made |= inside
        else:
            made[_REST] = UNKNOWN
    return made
