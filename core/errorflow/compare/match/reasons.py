"""Reasons why a tensor of an NPU's run has no partner."""

NOTHING = "nothing of this operator can be compared"
NO_DUMP = "the candidate has no dump of it"
BETWEEN = "the values are codes, between quantization and dequantization"
NO_PLACE = "the values are codes, and the reference has no tensor of this place"
