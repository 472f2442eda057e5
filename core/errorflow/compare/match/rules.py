"""The rules by which tensors find their partners. To add one: a row here, in the order in which they are asked."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """`certain`: somebody wrote the relation down; otherwise it is a good guess and is marked as one."""

    key: str
    label: str
    certain: bool
    why: str


RULES: tuple[Rule, ...] = (
    Rule("by-hand", "by hand", True, "The user brought the two together."),
    Rule("origin", "recorded origin", True, "The compiler wrote down which original tensor this output stands for."),
    Rule("own-name", "same operator", True, "The compiler kept the operator, and with it its name."),
    Rule("through-inserted", "past an inserted operator", True, "A Cast or TransData passes on what its source made."),
    Rule("quantization", "quantization information", True, "AMCT wrote down which original layers the operator holds."),
    Rule("quantized-input", "input of the quantizing operator", True, "Codes stand for the tensor that was quantized."),
    Rule(
        "dequantized-output", "output of the dequantizing layer", True, "Sums of codes stand for what becomes of them."
    ),
    Rule("closed-fusion", "model without fusion", True, "Both models record the same original operators."),
    Rule("tensor-name", "same tensor name", True, "Both runs call the tensor the same."),
    Rule("dequantized", "behind DequantizeLinear", True, "Rounded to codes and back, it is what its readers get."),
    Rule(
        "same-place", "same place in both models", True, "Operators of one kind read the same tensors in both models."
    ),
    Rule(
        "fused-place", "same place, with what follows", True, "The quantized operator took in the activation behind it."
    ),
    Rule("operator-name", "same operator and position", True, "Both runs call the operator the same."),
    Rule("file-name", "same file name", True, "Both runs called the file the same."),
    Rule("colon-name", "input name with a colon", True, "The name of its source goes up to the last colon."),
    Rule(
        "written-name", "same name as written to disk", False, "The names agree once special characters are replaced."
    ),
    Rule(
        "one-of-several", "one of several alike", False, "Several such operators read the same; name or order decides."
    ),
    Rule("inserted-origin", "the inserted operator's own origin", False, "Recorded at an operator that only converts."),
    Rule(
        "last-original", "last original operator", False, "No output was recorded; the last fused operator's is taken."
    ),
)

RULE_OF = {rule.key: rule for rule in RULES}
