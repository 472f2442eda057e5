"""The fewest parts of a model that must not be quantized as planned for it to be good enough."""
