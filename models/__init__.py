"""Embedding models: text in, unit vectors out.

`codequarry.models.provider` says what a model is, `codequarry.models.registry` opens one by
name. `codequarry.models.static` is the default: weights shipped with the package, NumPy only,
no key and no network. `codequarry.models.openai_compatible` asks an endpoint instead.
`codequarry.models.training` made the shipped weights and is never imported at run time.
"""
