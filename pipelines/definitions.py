"""What ``dagster dev`` loads: assets, checks, the job `reindex`, its schedule and sensor."""

import warnings
from collections.abc import Iterator

import dagster as dg

from codequarry.pipelines.flow_warmup import flow_warmup_asset
from codequarry.pipelines.head import head_commit
from codequarry.pipelines.ranges import range_tags
from codequarry.pipelines.repository import repository_assets
from codequarry.pipelines.resources import CHECKOUT, checkout_resource, open_checkout

warnings.filterwarnings("ignore", category=dg.BetaWarning)

NIGHTLY = "0 3 * * *"
SENSOR_SECONDS = 30

assets = repository_assets()
warmup_asset = flow_warmup_asset(CHECKOUT, "repository", [])
flow_warmup = dg.define_asset_job(
    "flow_warmup",
    selection=dg.AssetSelection.assets(warmup_asset),
    description="Answer the main questions of the repository, so that their answers are kept.",
)
reindex = dg.define_asset_job(
    "reindex",
    selection=dg.AssetSelection.assets(
        *(asset for asset in assets if isinstance(asset, dg.AssetsDefinition))
    ),
    description="Bring the index up to date: only buckets that changed do any work.",
)


def _dirty_buckets() -> list[str] | None:
    """Buckets a run must cover; None when the index is up to date."""
    checkout = open_checkout()
    census = checkout.observe()
    return None if checkout.is_clean(census) else checkout.touched_buckets(checkout.dirty())


@dg.schedule(job=reindex, cron_schedule=NIGHTLY, name="nightly_reindex")
def nightly_reindex(
    context: dg.ScheduleEvaluationContext,
) -> Iterator[dg.RunRequest | dg.SkipReason]:
    """Every night, bring the index up to date if anything changed."""
    buckets = _dirty_buckets()
    if buckets is None:
        yield dg.SkipReason("the index is up to date")
        return
    yield dg.RunRequest(tags=range_tags(buckets))


@dg.sensor(job=reindex, minimum_interval_seconds=SENSOR_SECONDS, name="git_head_moved")
def git_head_moved(context: dg.SensorEvaluationContext) -> Iterator[dg.RunRequest | dg.SkipReason]:
    """When git's HEAD names another commit, bring the index up to date."""
    commit = head_commit(open_checkout().root)
    if not commit:
        yield dg.SkipReason("not a git work tree, or no commit yet")
        return
    if commit == context.cursor:
        yield dg.SkipReason(f"HEAD is still {commit[:12]}")
        return
    context.update_cursor(commit)
    buckets = _dirty_buckets()
    if buckets is None:
        yield dg.SkipReason(f"the index is up to date at {commit[:12]}")
        return
    yield dg.RunRequest(tags=range_tags(buckets))  # no run key: a commit may come back


defs = dg.Definitions(
    assets=[*assets, warmup_asset],
    jobs=[reindex, flow_warmup],
    schedules=[nightly_reindex],
    sensors=[git_head_moved],
    resources={CHECKOUT: checkout_resource},
    executor=dg.in_process_executor,
)
