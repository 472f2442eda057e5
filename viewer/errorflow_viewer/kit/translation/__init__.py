"""The window in another language: texts are translated on their way to Qt, and English again on their way back."""
