"""YAML of conversion settings, by PyYAML's safe loader. Imported late: no start needs it."""

from collections.abc import Mapping

import yaml
from yaml.constructor import ConstructorError, SafeConstructor

from errorflow.base.errors import FormatError

DEEPEST = 40
_HINT = "Write it as the toolchain's examples are: keys, lists, quotes, { } and [ ]."
# libyaml's are in every wheel and ten times as fast.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
# What is written plainly and is no text. A long number would take time by the square of its length.
_PLAIN = {f"tag:yaml.org,2002:{kind}" for kind in ("null", "bool", "int", "float")}
_LONGEST_NUMBER = 100


def read_yaml(text: str, name: str) -> Mapping[str, object]:
    """The document's mapping; a `FormatError` names the line that is not understood."""
    try:
        _check(text, name)
        found = _value(yaml.compose(text, Loader=_LOADER))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise FormatError(f"Line {mark.line + 1:,} of {name} is not understood.", _HINT) from error
    except (yaml.YAMLError, ValueError) as error:  # letters that YAML does not have, numbers that look like some
        raise FormatError(f"{name} is no YAML.", _HINT) from error
    if not isinstance(found, dict):
        raise FormatError(f"{name} holds no keys.", _HINT)
    return found


def yaml_of(values: Mapping[str, object], in_rows: bool = False) -> str:
    """A document of keys; `in_rows` has what holds no further keys or lists on one line each."""
    flow = None if in_rows else False
    options = {"default_flow_style": flow, "sort_keys": False, "allow_unicode": True, "width": 1 << 30}
    return str(yaml.dump(values, Dumper=_DUMPER, **options))


def _check(text: str, name: str) -> None:
    """Checks a text before anything is made of it: a few lines of aliases stand for millions of values, and tags for
    objects.
    """
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise FormatError(f"{name} is nested too deeply.", _HINT)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "tag", None) is not None:
            raise FormatError(f"Line {event.start_mark.line + 1:,} of {name} is not understood.", _HINT)


def _value(node: yaml.Node | None) -> object:
    """Keys are as they are written, also `ON`, which YAML takes for a yes; values are what a toolchain finds."""
    if isinstance(node, yaml.MappingNode):
        return {_key(key): _value(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_value(each) for each in node.value]
    if node is None or node.tag not in _PLAIN or len(node.value) > _LONGEST_NUMBER:
        return None if node is None else node.value
    return SafeConstructor().construct_object(node)


def _key(node: yaml.Node) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise ConstructorError(None, None, None, node.start_mark)
    return str(node.value)
