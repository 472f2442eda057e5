"""The rules by which nodes find their partners. To add one: a row here, in the order in which they are asked."""

from errorflow.compare.match.rules import MatchRule

LINK_RULES: tuple[MatchRule, ...] = (
    MatchRule("origin", "recorded origin", True, "The compiler wrote down which original operators are in this one."),
    MatchRule("own-name", "same name", True, "Both graphs call the operator the same, and it does the same."),
    MatchRule("tensor-name", "same tensor", True, "What they make has the same name in both graphs."),
    MatchRule("pair", "compared tensors", True, "Their tensors were compared with each other."),
    MatchRule("derived-name", "name with an ending", False, "The name goes on where that of the original ends."),
    MatchRule("structure", "same place", False, "They do the same between nodes that belong together."),
    MatchRule(
        "replaced", "only one in its place", False, "Each is all that stands between nodes that belong together."
    ),
    MatchRule("absorbed", "absorbed by its neighbour", False, "Its place is gone, and its neighbour can do its work."),
)
RULE_CODE = {rule.key: code for code, rule in enumerate(LINK_RULES)}
