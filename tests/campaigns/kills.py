"""Kill drivers, executors, nodes and servers at random moments of a task, and retry it.

`python -m campaigns.kills --kills 50 --seed 1 --mode local` prints the row of
docs/testing/kills.md. `campaigns.killed_tasks` has drivers that the campaign starts again,
`campaigns.restarted` those that a cluster starts again, and servers.
"""

import argparse
import random
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from campaigns.killed_tasks import MOST_DEATHS, Campaign
from campaigns.mini_yarn import mini_yarn
from campaigns.restarted import KINDS, RestartedCampaign
from campaigns.shuffle_clusters import standalone_shuffle, yarn_shuffle
from campaigns.store import campaign_lake, described
from clients.site import Site
from e2e.sessions import session_builder
from e2e.standalone import standalone

WORKERS = 2
OF_THE_CAMPAIGN = ("local", "standalone", "standalone-shuffle", "yarn", "yarn-shuffle")


def use_cluster(campaign: Campaign, mode: str, folder: Path, stack: ExitStack) -> None:
    """Start the cluster of a mode for drivers that the campaign starts."""
    match mode:
        case "standalone":
            campaign.cluster = stack.enter_context(standalone(folder, WORKERS))
        case "standalone-shuffle":
            campaign.node = stack.enter_context(standalone_shuffle(folder))
            campaign.cluster = campaign.node
        case "yarn":
            campaign.cluster = stack.enter_context(mini_yarn(folder))
        case "yarn-shuffle":
            campaign.cluster = campaign.node = stack.enter_context(
                yarn_shuffle(folder, campaign.draws)
            )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m campaigns.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=50, help="of all kinds together")
    parser.add_argument("--seconds", type=float, default=36_000, help="no new task after so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--deaths", type=int, default=MOST_DEATHS, help="at most, of one task")
    parser.add_argument("--mode", choices=[*OF_THE_CAMPAIGN, *KINDS], default="local")
    chosen = parser.parse_args()
    print(described(sys.argv[1:]), flush=True)
    begin = time.monotonic()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="repave-kills-")))
        lake = stack.enter_context(campaign_lake("typical", chosen.seed))
        spark = session_builder(folder, {"": lake.proxy.endpoint}).getOrCreate()
        stack.callback(spark.stop)
        spark.sparkContext.setLogLevel("ERROR")
        draws = random.Random(chosen.seed)  # noqa: S311 - no secret
        if chosen.mode in KINDS:
            site = Site.at(folder, lake.proxy.endpoint)
            kind = stack.enter_context(KINDS[chosen.mode](site))
            campaign: Campaign = RestartedCampaign(lake, spark, folder, draws, kind)
        else:
            campaign = Campaign(lake, spark, folder, draws)
            use_cluster(campaign, chosen.mode, folder / "cluster", stack)
        campaign.most_deaths = chosen.deaths
        number = 0
        while campaign.tally.kills() < chosen.kills and time.monotonic() - begin < chosen.seconds:
            number += 1
            campaign.task(number)
            print(f"{time.monotonic() - begin:.0f} s: {campaign.tally.row()}", flush=True)
    print(f"{chosen.mode}, seed {chosen.seed}: {campaign.tally.row()}")
    print(described(sys.argv[1:]))
    return 1 if campaign.tally.lost or campaign.tally.surplus else 0


if __name__ == "__main__":
    sys.exit(main())
