"""Issue mode: a pasted bug report finds the files to change."""
