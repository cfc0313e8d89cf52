"""The surfaces: one core, several shells."""
