"""The two-minute tour: steps on a sample in the real window, each told beside the thing that it is about."""
