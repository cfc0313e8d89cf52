"""The index-time artefacts: one folder each, pure logic beside its Dagster asset."""
