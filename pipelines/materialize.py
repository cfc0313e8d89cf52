"""The assets of a checkout, materialised in this process; Dagster is imported at the first call."""

from __future__ import annotations

import os
import time
from enum import Enum
from typing import TYPE_CHECKING

from codequarry.assets.checkout import Checkout

if TYPE_CHECKING:
    import dagster as dg


class Part(Enum):
    """Which assets a run is over."""

    ALL = "all"
    FACTS = "facts"
    REST = "rest"


def materialize(
    checkout: Checkout, tags: dict[str, str], part: Part = Part.ALL
) -> dict[str, float]:
    """Materialise the assets of a checkout in this process; seconds by stage.

    With ``DAGSTER_HOME`` set the run is recorded there and shows in the UI.

    Args:
        checkout: what to index; handed to the assets as their resource.
        tags: the range of buckets; empty: only census and snapshot are made.
        part: all assets, those up to the facts, or those after them.
    """
    begun = time.perf_counter()
    import warnings

    import dagster as dg

    from codequarry.assets.facts.asset import FACT_ASSETS
    from codequarry.pipelines.repository import repository_assets
    from codequarry.pipelines.resources import CHECKOUT

    seconds = {"import": time.perf_counter() - begun}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category=dg.BetaWarning)
        assets = repository_assets()
        selection: dg.AssetSelection | None = None
        facts = dg.AssetSelection.assets("census", *FACT_ASSETS)
        if not tags:
            selection = dg.AssetSelection.assets("census", "snapshot")
        elif part is Part.FACTS:
            selection = facts
        elif part is Part.REST:
            selection = dg.AssetSelection.all() - facts
        home = os.environ.get("DAGSTER_HOME")
        instance = dg.DagsterInstance.get() if home else dg.DagsterInstance.ephemeral()
        try:
            result = dg.materialize(
                assets,
                instance=instance,
                resources={CHECKOUT: checkout},
                selection=selection,
                tags=tags or None,
                raise_on_error=True,
                run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
            )
        except dg.DagsterExecutionInterruptedError as error:
            raise KeyboardInterrupt from error
        finally:
            if not home:
                instance.dispose()
    seconds.update(_step_seconds(result))
    return seconds


def _step_seconds(result: dg.ExecuteInProcessResult) -> dict[str, float]:
    return {
        str(event.step_key): event.step_success_data.duration_ms / 1000
        for event in result.all_events
        if event.is_step_success
    }
