"""What the outlier table says of a tensor: its channels over all samples, beside the one sample on view."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errorflow.explain.outliers.model import OutlierTable


def counted_axis(table: "OutlierTable", tensor: str) -> int | None:
    """Along which its channels were counted; None: it has none there."""
    return next((row.axis for row in table.rows if row.tensor == tensor), None)


def over_samples(table: "OutlierTable | None", tensor: str) -> str:
    """A sentence; "": nobody has looked at it, or it has no channels."""
    from errorflow.explain.inspect.figure import number_text

    row = None if table is None else next((row for row in table.rows if row.tensor == tensor), None)
    if table is None or row is None or not len(row.loud):
        return ""
    loud = int(row.loud[0])
    over = "" if row.kind == "weight" else f" over {table.samples:,} samples" if table.samples > 1 else ""
    if row.median < 1:
        return f"No channel stands out{over}: one scale costs the median channel {row.median:.1f} bits."
    largest = number_text(float(row.maxima[loud]))
    return (
        f"Channel {loud} is the loudest{over}, up to {largest}. One scale for all costs the median channel "
        f"{row.median:.1f} bits, and leaves it {row.effective_bits():.1f} of 8."
    )
