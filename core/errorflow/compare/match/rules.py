"""The rules by which tensors find their partners. To add one: a row here, in the order in which they are asked."""

from errorflow.base.values import dataclass


@dataclass(frozen=True, slots=True)
class MatchRule:
    """A rule. `certain`: the relation was written down; otherwise it is a good guess and is marked as one."""

    key: str
    label: str
    certain: bool
    why: str


RULES: tuple[MatchRule, ...] = (
    MatchRule("by-hand", "by hand", True, "The user brought the two together."),
    MatchRule(
        "origin", "recorded origin", True, "The compiler wrote down which original tensor this output stands for."
    ),
    MatchRule("own-name", "same operator", True, "The compiler kept the operator, and with it its name."),
    MatchRule(
        "through-inserted", "past an inserted operator", True, "A Cast or TransData passes on what its source made."
    ),
    MatchRule(
        "quantization", "quantization information", True, "AMCT wrote down which original layers the operator holds."
    ),
    MatchRule(
        "quantized-input", "input of the quantizing operator", True, "Codes stand for the tensor that was quantized."
    ),
    MatchRule(
        "dequantized-output", "output of the dequantizing layer", True, "Sums of codes stand for what becomes of them."
    ),
    MatchRule("closed-fusion", "model without fusion", True, "Both models record the same original operators."),
    MatchRule("tensor-name", "same tensor name", True, "Both runs call the tensor the same."),
    MatchRule("dequantized", "behind DequantizeLinear", True, "Rounded to codes and back, it is what its readers get."),
    MatchRule(
        "same-place", "same place in both models", True, "Operators of one kind read the same tensors in both models."
    ),
    MatchRule(
        "fused-place", "same place, with what follows", True, "The quantized operator took in the activation behind it."
    ),
    MatchRule("operator-name", "same operator and position", True, "Both runs call the operator the same."),
    MatchRule("file-name", "same file name", True, "Both runs called the file the same."),
    MatchRule("colon-name", "input name with a colon", True, "The name of its source goes up to the last colon."),
    MatchRule(
        "written-name", "same name as written to disk", False, "The names agree once special characters are replaced."
    ),
    MatchRule(
        "one-of-several", "one of several alike", False, "Several such operators read the same; name or order decides."
    ),
    MatchRule(
        "inserted-origin", "the inserted operator's own origin", False, "Recorded at an operator that only converts."
    ),
    MatchRule(
        "last-original", "last original operator", False, "No output was recorded; the last fused operator's is taken."
    ),
)

RULE_OF = {rule.key: rule for rule in RULES}
