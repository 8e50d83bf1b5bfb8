"""The lexical interpreter: a question in plain words becomes a frame without a model."""
