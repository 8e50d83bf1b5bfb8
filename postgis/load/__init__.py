"""Loading of source files into a dataset."""
