"""Answers as files and text: GeoJSON, CSV, XLSX, a table for people, plain JSON."""
