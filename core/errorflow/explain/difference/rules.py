"""The rules by which nodes find their partners. To add one: a row here, in the order in which they are asked."""

from errorflow.compare.match.rules import Rule

LINK_RULES: tuple[Rule, ...] = (
    Rule("origin", "recorded origin", True, "The compiler wrote down which original operators are in this one."),
    Rule("own-name", "same name", True, "Both graphs call the operator the same, and it does the same."),
    Rule("tensor-name", "same tensor", True, "What they make has the same name in both graphs."),
    Rule("pair", "compared tensors", True, "Their tensors were compared with each other."),
    Rule("derived-name", "name with an ending", False, "The name goes on where that of the original ends."),
    Rule("structure", "same place", False, "They do the same between nodes that belong together."),
    Rule("replaced", "only one in its place", False, "Each is all that stands between nodes that belong together."),
    Rule("absorbed", "absorbed by its neighbour", False, "Its place is gone, and its neighbour can do its work."),
)
RULE_CODE = {rule.key: code for code, rule in enumerate(LINK_RULES)}
