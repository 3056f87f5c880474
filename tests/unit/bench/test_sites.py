from benchmarks.ground import Lake
from benchmarks.sites import entries, store_conf


def test_the_clients_own_log_reads_like_the_proxys_journal() -> None:
    put = "PutObject\t1500\t27\t200\tlake\tsales/a\t5\t"
    page = "DeleteObjects\t2000\t30\t200\tlake\t\t90\tsales/a\u0001sales/b"
    one, two = entries(f"{put}\n{page}")
    assert (one.ts, one.ms, one.op, one.key, one.stored) == (1.5, 27, "PutObject", "sales/a", 5)
    assert (two.keys, two.stored, two.server_status) == (["sales/a", "sales/b"], None, 200)
    assert list(entries("")) == []


def test_amazons_store_is_reached_as_the_environment_says() -> None:
    conf = store_conf(None, "eu-west-1", keys=None)
    assert conf == {
        "spark.hadoop.fs.s3a.endpoint.region": "eu-west-1",
        "spark.sql.catalog.lake.client.region": "eu-west-1",
    }


def test_another_store_has_an_endpoint_and_maybe_keys() -> None:
    conf = store_conf("https://store:9000", "x", keys=("id", "secret"))
    assert conf["spark.hadoop.fs.s3a.connection.ssl.enabled"] == "true"
    assert conf["spark.hadoop.fs.s3a.access.key"] == conf["spark.sql.catalog.lake.s3.access-key-id"]


def test_a_run_has_a_folder_of_its_own_in_a_bucket_of_others() -> None:
    lake = Lake("theirs", "scratch/run-1")
    assert (lake.table, lake.url) == ("scratch/run-1/sales", "s3a://theirs/scratch/run-1/sales")
    assert (Lake().table, Lake().within("")) == ("sales", "")
