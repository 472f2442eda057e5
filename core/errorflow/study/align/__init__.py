"""Two pipelines around a model, step by step: whether they hand on the same arrays, and if not, why."""
