"""The assets of one repository: the factory that every registered repository goes through."""

from __future__ import annotations

from typing import TypeAlias

import dagster as dg

from codequarry.assets.census.asset import census_asset, source_blobs_asset
from codequarry.assets.edges.asset import edges_asset
from codequarry.assets.embeddings.asset import embeddings_asset
from codequarry.assets.facts.asset import facts_assets
from codequarry.assets.graph.asset import graph_asset
from codequarry.assets.snapshot.asset import snapshot_asset
from codequarry.pipelines.resources import CHECKOUT

Assets: TypeAlias = list[dg.AssetsDefinition | dg.SourceAsset]


def repository_assets(
    checkout_key: str = CHECKOUT, group: str = "repository", prefix: list[str] | None = None
) -> Assets:
    """All assets of one repository.

    Args:
        checkout_key: the resource that gives its `Checkout`.
        group: the asset group in the UI.
        prefix: the asset key prefix; none for the only repository.
    """
    arguments = (checkout_key, group, prefix or [])
    return [
        source_blobs_asset(*arguments),
        census_asset(*arguments),
        facts_assets(*arguments),
        embeddings_asset(*arguments),
        edges_asset(*arguments),
        graph_asset(*arguments),
        snapshot_asset(*arguments),
    ]
