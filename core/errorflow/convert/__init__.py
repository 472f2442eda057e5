"""From the order in which an NPU keeps a tensor in memory to the one of the original model, and back."""
