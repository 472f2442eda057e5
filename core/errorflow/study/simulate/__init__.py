"""A plan, simulated: the error of each tensor in two parts, verdicts, and who makes the noise of the outputs."""
