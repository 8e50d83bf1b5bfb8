"""Schema packs: what can be asked in a jurisdiction."""
