"""What ``dagster dev`` loads of eval: the assets and jobs `golden_eval` and `swebench_eval`."""

import dagster as dg

from codequarry.eval.assets import golden_eval, swebench_eval

defs = dg.Definitions(
    assets=[golden_eval, swebench_eval],
    jobs=[
        dg.define_asset_job(
            asset.key.to_user_string(),
            selection=dg.AssetSelection.assets(asset),
            description=asset.descriptions_by_key[asset.key],
        )
        for asset in (golden_eval, swebench_eval)
    ],
    executor=dg.in_process_executor,
)
