"""The resource that gives assets their checkout."""

import os
from pathlib import Path

import dagster as dg

from codequarry.assets.checkout import Checkout
from codequarry.settings import load_settings
from codequarry.store.layout import Layout, find_root

CHECKOUT = "checkout"


def open_checkout(start: str = "") -> Checkout:
    """Open the checkout that ``start`` lies in.

    Args:
        start: a folder; empty: ``QUARRY_REPOSITORY``, else where Dagster runs.
    """
    root = find_root(Path(start or os.environ.get("QUARRY_REPOSITORY", "") or "."))
    return Checkout(root, load_settings(root), Layout.of(root))


@dg.resource(
    config_schema={"root": dg.Field(str, default_value="", description="A folder of the tree.")},
    description="One repository on disk, with its settings and store.",
)
def checkout_resource(context: dg.InitResourceContext) -> Checkout:
    """Open the checkout for the length of a step."""
    return open_checkout(context.resource_config["root"])
