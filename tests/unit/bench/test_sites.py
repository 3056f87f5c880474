import pytest

from benchmarks.run_context import Lake
from benchmarks.sites import entries, keys, remote_site, store_conf
from repave_lab.servers import embedded_s3


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


def test_a_remote_run_leaves_nothing_in_the_bucket_and_nothing_of_others_goes() -> None:
    with embedded_s3() as server:
        client = server.client()
        client.create_bucket(Bucket="theirs")
        client.put_object(Bucket="theirs", Key="scratch/kept", Body=b"x")
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("AWS_ACCESS_KEY_ID", server.access_key)
            patch.setenv("AWS_SECRET_ACCESS_KEY", server.secret_key)
            patch.setenv("AWS_DEFAULT_REGION", server.region)
            with remote_site(server.endpoint, "theirs", "scratch/") as site:
                key = f"{site.lake.table}/part=1/a"
                site.direct.put_object(Bucket="theirs", Key=key, Body=b"x")
                site.direct.create_multipart_upload(Bucket="theirs", Key=key)
                assert keys(site.direct, site.lake) == [key]
        left = client.list_objects_v2(Bucket="theirs")["Contents"]
        assert [one["Key"] for one in left] == ["scratch/kept"]
        assert not client.list_multipart_uploads(Bucket="theirs").get("Uploads")
