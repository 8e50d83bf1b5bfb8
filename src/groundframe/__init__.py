"""groundframe: semantic frames, compiled to spatial operations and run on PostGIS."""
