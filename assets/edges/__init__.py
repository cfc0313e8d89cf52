"""Links: which definition each reference means. The one artefact that crosses files."""
