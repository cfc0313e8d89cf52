"""The Dagster assets `census` and `source_blobs`."""

import hashlib

import dagster as dg

from codequarry.assets.census.census import RULES_VERSION
from codequarry.assets.checkout import Checkout
from codequarry.store.generations import start_store
from codequarry.store.layout import BUCKETS

BUCKET_PARTITIONS = dg.StaticPartitionsDefinition(list(BUCKETS))


def census_asset(checkout_key: str, group: str, prefix: list[str]) -> dg.AssetsDefinition:
    """The census of one repository.

    Args:
        checkout_key: the resource that gives the `Checkout`.
        group: the asset group.
        prefix: the asset key prefix.
    """

    @dg.asset(
        name="census",
        key_prefix=prefix,
        group_name=group,
        backfill_policy=dg.BackfillPolicy.single_run(),
        required_resource_keys={checkout_key},
        kinds={"python"},
        code_version=RULES_VERSION,
    )
    def census(context: dg.AssetExecutionContext) -> dg.MaterializeResult[None]:
        """Every file of the tree: its identity, language and role, or why it is left out.

        Stat-first: a file whose size, times and inode did not change is not opened.
        """
        checkout: Checkout = getattr(context.resources, checkout_key)
        with checkout.writing():
            start_store(checkout.layout)
            taken = checkout.retake_census()
        languages = dg.TableSchema(
            columns=[dg.TableColumn("reason", "string"), dg.TableColumn("files", "int")]
        )
        rows = [
            dg.TableRecord({"reason": reason, "files": n})
            for reason, n in taken.skip_counts.items()
        ]
        return dg.MaterializeResult(
            metadata={
                "dagster/row_count": len(taken.indexed),
                "skipped": len(taken.skipped),
                "skipped_by_reason": dg.TableMetadataValue(rows, languages),
                "why": dg.MetadataValue.text("quarry status --skipped"),
            }
        )

    return census


def source_blobs_asset(checkout_key: str, group: str, prefix: list[str]) -> dg.SourceAsset:
    """The blobs of one repository, observed: a data version for each bucket."""

    @dg.observable_source_asset(
        name="source_blobs",
        key_prefix=prefix,
        group_name=group,
        partitions_def=BUCKET_PARTITIONS,
        required_resource_keys={checkout_key},
        description="The file contents of the tree by the first hex digit of their SHA-256.",
    )
    def source_blobs(context: dg.OpExecutionContext) -> dg.DataVersionsByPartition:
        checkout: Checkout = getattr(context.resources, checkout_key)
        digests = {bucket: hashlib.sha256() for bucket in BUCKETS}
        for blob in sorted({entry.blob for entry in checkout.observe().indexed}):
            digests[blob[0]].update(blob.encode())
        return dg.DataVersionsByPartition(
            {bucket: digest.hexdigest()[:16] for bucket, digest in digests.items()}
        )

    return source_blobs
