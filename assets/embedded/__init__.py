"""Code inside files of another kind: components, templates, fences, notebooks."""
