"""Which parts of a model matter: what quantizing each alone does to the outputs, and what each gains in float."""
