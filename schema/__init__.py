"""Schema packs: what can be asked in a jurisdiction, and what its words mean."""
