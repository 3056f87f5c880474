"""How `cluster_job.py` is submitted to YARN."""

import repave
from campaigns.mini_yarn import MiniYarn
from clients import cluster_job


def command(yarn: MiniYarn, mode: str, run: str, argument: str, attempts: int) -> list[str]:
    conf = {
        **yarn.conf(),
        "spark.yarn.maxAppAttempts": str(attempts),
        "spark.hadoop.repave.run": run,
    }
    return [
        *("spark-submit", "--deploy-mode", mode, "--jars", str(repave.jar_path())),
        *(f"--conf={key}={value}" for key, value in conf.items()),
        *(str(cluster_job.__file__), argument),
    ]
