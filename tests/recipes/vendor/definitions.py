"""The only number of Acme's report."""

from errorflow.compare.metrics.definitions.definition import COSINE, Definition, same

ACME: tuple[Definition, ...] = (
    Definition("acme.likeness", "Acme", "likeness", COSINE, True, "accumulated", "cosine", same),
)
ROWS = ACME
