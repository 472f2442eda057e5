"""What a comparison means: who is to blame, what tensors hold, and how two models differ."""
