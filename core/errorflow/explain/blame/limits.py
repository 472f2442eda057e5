"""Limits between the verdicts, and their reasons. Errors are relative: √Σ (c − r)² / √Σ r²."""

from errorflow.compare.metrics import METRICS

_RELATIVE = next(metric for metric in METRICS if metric.key == "relative_l2")
# Up to here an error is none: the metric's own limit, which is that of the vendor's rules as well.
CLEAN = _RELATIVE.good
# From here on a tensor is lost, by the metric's own limit. What an error does beyond it says nothing of the nodes that
# it passes: two tensors that have nothing in common differ by 1.4, whatever was done to them.
LOST = _RELATIVE.bad
# The share of a node's error that makes it the origin: more than all that it reads together.
MOST = 0.5
# From here on an error grows clearly: by this factor its power doubles. Float networks pass noise on with gains
# between 0.7 and 1.3, so that less would call every second node an amplifier.
GROWS = 2**0.5
# So much must be gone between what a node reads and what it makes before it is called healed, for the same reason.
HEALS = 0.5
# A carrier this far beyond the limit is clearly bad: four times the power. Below, noise wavers around the limit.
CLEARLY = 2.0
# Averages make errors small, differences bring them back: a node that reads less error than there was upstream may well
# only restore it. Up to this gain; a classifier behind a global average has 2 to 3.
REGAINS = 3.0
# A node without weights can add no more than the rounding of its output: where it reads an error and makes a larger
# one, it amplifies, unless the error grows by more than this. That is where msprobe's rule for statistics warns.
# And a relative error beyond it means values so many times too large that what reads them may overflow.
JUMP = 10.0
# Behind a node that makes a clear error out of good values, growth up to this factor a node is what a network does to
# an error that it is fed with: whether a node adds something of its own cannot be told from two dumps. A narrow net
# with shortcuts has up to 1.6.
EXPLAINED = 2.0
# … and an error is made out of good values if it is so many times what arrives, and so many times the limit.
SHARP = 3.0
# One scale for loud and quiet channels: the channel in the middle is worse than the tensor by this factor (10 dB, which
# is one and a half of the eight bits that a scale has) …
LOUD = 10**0.5
# … and explains what its reader loses up to this factor.
EXPLAINS = 2.0
# Readers of one tensor that lose at once and about as much as each other, by this factor, lose the same thing …
ALIKE = 2.0
# … if they make out of it at least so many times its error, and are at least so many.
COMMON = 3.0
READERS = 2
# Up to so many nodes, effectively, an error is one of nodes; more is accumulated. A support engineer can look at three.
FEW = 3.0
# Three that bring less than this together are the largest of many: where all weights of a net are disturbed alike, its
# last layer alone can bring more than half of the error.
NEARLY_ALL = 0.9
# An estimate counts too few, since what a node adds hides behind a larger error that is there already. In nets of 15
# layers it counts 1 to 2 when one of them was made wrong, and 2 to 7 when all were.
FEW_ESTIMATED = 2.0
# A node whose share of a bad output is at least this is an origin, however good its own tensor looks as a whole.
LARGE = 0.25
# Contributors that are named: so many at most, and none that bring less.
NAMED = 5
NOTICEABLE = 0.01
# From here on who was not seen to bring an error is possibly to blame; from MOST on likely.
ACCUSED = 0.1
# A set that was seen to bring an output back is an error of nodes where it is one node, or at most so many (or a tenth
# of all) while the others make little alone: with more than a third of all, next to nothing. Else it is accumulated:
# where all nodes are disturbed alike, a few in float may bring an output just within the limit.
SMALL, SMALL_PART, TENTH = 4, 1 / 3, 0.1
CONCENTRATED = 0.95
# … and it takes so much of the error's power away: of an error that is hardly beyond the limit less may be enough.
MUCH = 0.75
# Of larger sets none is left out again, nor is looked at what is lost without each: nobody goes through such a list.
PRUNED = 8
