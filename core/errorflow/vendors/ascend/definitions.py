"""The files of Ascend's AMCT, msaccucmp and msprobe."""

from errorflow.compare.metrics.definitions.definition import (
    COSINE,
    LENGTH,
    MAX_ABSOLUTE,
    MEAN_ABSOLUTE,
    RELATIVE,
    UNIT,
    Definition,
    root,
    same,
    unhalved_cosine,
)

AMCT: tuple[Definition, ...] = (
    Definition(
        "amct.sensitivity",
        "AMCT",
        "(second value of a pair)",
        "0.5 + 0.5 · cosine",
        True,
        "node",
        "cosine",
        unhalved_cosine,
        "From 0 to 1, so that 0.95 is a cosine of 0.9; 1 when the reference is all zero, whatever the candidate is.",
    ),
    Definition(
        "amct.metric_eval",
        "AMCT",
        "metric_eval",
        "what the user's own evaluator returns: whether it passes, and the loss",
        False,
        "accumulated",
    ),
)

_FLOAT32 = "In float32: values around 1e19 and larger overflow when they are squared."

MSACCUCMP: tuple[Definition, ...] = (
    Definition(
        "msaccucmp.CosineSimilarity",
        "msaccucmp",
        "CosineSimilarity",
        COSINE,
        True,
        "accumulated",
        "cosine",
        same,
        f"1.000000 for every scalar. {_FLOAT32}",
    ),
    Definition(
        "msaccucmp.MaxAbsoluteError",
        "msaccucmp",
        "MaxAbsoluteError",
        MAX_ABSOLUTE,
        False,
        "accumulated",
        "max_absolute_error",
        same,
    ),
    Definition(
        "msaccucmp.AccumulatedRelativeError",
        "msaccucmp",
        "AccumulatedRelativeError",
        f"Σ {RELATIVE}",
        False,
        "accumulated",
        misleads="A sum: ten times as many values give ten times the error.",
    ),
    Definition(
        "msaccucmp.RelativeEuclideanDistance",
        "msaccucmp",
        "RelativeEuclideanDistance",
        "√(Σ (c − r)² / Σ r²)",
        False,
        "accumulated",
        "relative_l2",
        same,
        f"0 when the reference is all zero, whatever the candidate is. {_FLOAT32}",
    ),
    Definition(
        "msaccucmp.RelativeEuclideanDistance.2023",
        "msaccucmp",
        "RelativeEuclideanDistance",
        "Σ (c − r)² / Σ r²",
        False,
        "accumulated",
        "relative_l2",
        root,
        "The square, in tables written from August 2023 to June 2024: 0.0025 where others print 0.05.",
    ),
    Definition(
        "msaccucmp.KullbackLeiblerDivergence",
        "msaccucmp",
        "KullbackLeiblerDivergence",
        "Σ p · ln(p / q), p from c and q from r, each brought to [0, 1] and to the sum 1",
        False,
        "accumulated",
        misleads="It sees neither a factor nor an offset: a candidate twice as large has 0.",
    ),
    Definition(
        "msaccucmp.StandardDeviation",
        "msaccucmp",
        "StandardDeviation",
        "(mean c;deviation c),(mean r;deviation r)",
        None,
        "",
        misleads="No comparison, but a text that describes both sides.",
    ),
    Definition(
        "msaccucmp.MeanAbsoluteError",
        "msaccucmp",
        "MeanAbsoluteError",
        MEAN_ABSOLUTE,
        False,
        "accumulated",
        "mean_absolute_error",
        same,
    ),
    Definition(
        "msaccucmp.RootMeanSquareError",
        "msaccucmp",
        "RootMeanSquareError",
        "√(Σ (c − r)² / n)",
        False,
        "accumulated",
        misleads="In the unit of the tensor.",
    ),
    Definition(
        "msaccucmp.MaxRelativeError",
        "msaccucmp",
        "MaxRelativeError",
        f"max {RELATIVE}",
        False,
        "accumulated",
        misleads="One reference value next to zero decides.",
    ),
    Definition(
        "msaccucmp.MeanRelativeError",
        "msaccucmp",
        "MeanRelativeError",
        f"mean of {RELATIVE}",
        False,
        "accumulated",
        misleads="Few reference values next to zero decide, and exact zeros count as right.",
    ),
)

_STATISTIC = "abs(statistic of c − statistic of r) / abs(statistic of r)"
_SAME_STATISTIC = "Tensors with the same statistic can differ in every value."

MSPROBE: tuple[Definition, ...] = (
    Definition(
        "msprobe.Cosine",
        "msprobe",
        "Cosine",
        COSINE,
        True,
        "accumulated",
        "cosine",
        same,
        "NaN at the same places on both sides is taken for 0.",
    ),
    Definition("msprobe.EucDist", "msprobe", "EucDist", LENGTH, False, "accumulated", misleads=UNIT),
    Definition(
        "msprobe.MaxAbsErr", "msprobe", "MaxAbsErr", MAX_ABSOLUTE, False, "accumulated", "max_absolute_error", same
    ),
    Definition(
        "msprobe.MaxRelativeErr",
        "msprobe",
        "MaxRelativeErr",
        "max abs(c − r) / abs(r)",
        False,
        "accumulated",
        misleads="One reference value next to zero decides.",
    ),
    Definition(
        "msprobe.OneThousandth",
        "msprobe",
        "One Thousandth Err Ratio",
        "share of values with a relative error below 0.001",
        True,
        "accumulated",
        misleads="Called an error ratio and is the share of the good: 1 is best.",
    ),
    Definition(
        "msprobe.FiveThousandths",
        "msprobe",
        "Five Thousandths Err Ratio",
        "share of values with a relative error below 0.005",
        True,
        "accumulated",
        misleads="Called an error ratio and is the share of the good: 1 is best.",
    ),
    *(
        Definition(
            f"msprobe.statistics.{name}",
            "msprobe",
            f"{name}RelativeErr",
            _STATISTIC.replace("statistic", name.lower()),
            False,
            "accumulated",
            misleads=_SAME_STATISTIC,
        )
        for name in ("Max", "Min", "Mean", "Norm")
    ),
    Definition(
        "msprobe.precision_index",
        "msprobe",
        "precision_index",
        "0 pass, 0.5 warning, 1 error, by rules over the inputs and outputs of one operator",
        False,
        "",
        misleads="A verdict, not a measure: 0.5 is not half as bad as 1.",
    ),
    Definition(
        "msprobe.precision_index.old",
        "msprobe",
        "precision_index",
        "of tensors: least share of good values at the inputs − least one at the outputs; of statistics: the largest "
        "relative error of an output's statistic; both cut to [0, 1]",
        False,
        "",
        misleads="An operator whose inputs are lost already has 0, like one that is right.",
    ),
)
ROWS = (*AMCT, *MSACCUCMP, *MSPROBE)
