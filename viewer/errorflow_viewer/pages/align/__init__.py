"""The page on which two pipelines around a model are set side by side."""
