"""The audit record: everything by which somebody else can check an answer."""
