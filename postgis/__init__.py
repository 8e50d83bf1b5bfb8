"""PostGIS: tables, loading, spelling, execution and the private local server."""
