"""The interpreter that asks a language model to write the frame, at any OpenAI-compatible endpoint."""
