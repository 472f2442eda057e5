"""A made-up NPU: what it compiles a model to, what it computes, and the files that it leaves behind."""
