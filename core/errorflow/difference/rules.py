"""The rules by which nodes find their partners. To add one: a row here, in the order in which they are asked."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LinkRule:
    """`certain`: somebody wrote the relation down; otherwise it is a good guess and is marked as one."""

    key: str
    label: str
    certain: bool
    why: str


LINK_RULES: tuple[LinkRule, ...] = (
    LinkRule("origin", "recorded origin", True, "The compiler wrote down which original operators are in this one."),
    LinkRule("own-name", "same name", True, "Both graphs call the operator the same, and it does the same."),
    LinkRule("tensor-name", "same tensor", True, "What they make has the same name in both graphs."),
    LinkRule("pair", "compared tensors", True, "Their tensors were compared with each other."),
    LinkRule("derived-name", "name with an ending", False, "The name goes on where that of the original ends."),
    LinkRule("structure", "same place", False, "They do the same between nodes that belong together."),
    LinkRule("replaced", "only one in its place", False, "Each is all that stands between nodes that belong together."),
    LinkRule("absorbed", "absorbed by its neighbour", False, "Its place is gone, and its neighbour can do its work."),
)
RULE_CODE = {rule.key: code for code, rule in enumerate(LINK_RULES)}
