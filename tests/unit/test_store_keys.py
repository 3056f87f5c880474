"""The options of a command win over the site's own keys for the bucket of its table."""

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner

from repave import RepaveError, UsageError
from repave._aws import ENDPOINT_VARIABLES
from repave._jar_command import prepare
from repave._store_keys import FROM_ENVIRONMENT
from repave.cli import change, main

STORE = "http://127.0.0.1:9000"
OTHER = "http://127.0.0.1:9001"
GENERAL = "spark.hadoop.fs.s3a."
OF_BUCKET = "spark.hadoop.fs.s3a.bucket.lake."
PROXIES = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy")
PROFILE = "[profile prod]\naws_access_key_id = key\naws_secret_access_key = s3cr3t\n"


@pytest.fixture(autouse=True)
def _environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("AWS_PROFILE", "AWS_DEFAULT_REGION", *ENDPOINT_VARIABLES, "SPARK_CONF_DIR", *PROXIES)
    for name in names:
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "config").write_text(PROFILE, "utf-8")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    (tmp_path / "repave.jar").touch()
    monkeypatch.setenv("REPAVE_JAR", str(tmp_path / "repave.jar"))
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "hadoop-client-api-3.5.0.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))


def conf(
    endpoint_url: str | None, profile: str | None, own: dict[str, str] | None = None
) -> dict[str, str]:
    """Return the conf of a command's JVM."""
    words = prepare("lake", endpoint_url, profile, {}, own or {}).line(Path("a"), "vacuum")
    pairs = [word for at, word in enumerate(words) if words[at - 1] == "--conf"]
    return dict(pair.split("=", 1) for pair in pairs)


def test_the_store_of_a_command_is_that_of_its_bucket_too() -> None:
    found = conf(STORE, None)
    names = ("endpoint", "endpoint.region", "path.style.access", "connection.ssl.enabled")
    for name in names:
        assert found[OF_BUCKET + name] == found[GENERAL + name]
    assert found[OF_BUCKET + "endpoint"] == STORE


def test_a_profile_signs_also_where_the_bucket_has_keys_of_its_own() -> None:
    found = conf(None, "prod")
    key = "aws.credentials.provider"
    assert (found[GENERAL + key], found[OF_BUCKET + key]) == (FROM_ENVIRONMENT, FROM_ENVIRONMENT)
    assert not [name for name in found if name.endswith("endpoint")]


def test_the_environments_credentials_leave_the_sites_in_effect() -> None:
    assert not [name for name in conf(None, None) if "s3a" in name]


def proxy_of_a_command(
    endpoint_url: str | None, own: dict[str, str] | None = None
) -> dict[str, str]:
    found = conf(endpoint_url, None, own)
    return {key: value for key, value in found.items() if ".proxy." in key}


@pytest.mark.parametrize(
    ("variable", "endpoint_url", "proxy"),
    [
        ("HTTPS_PROXY", None, "http://proxy.example:3128"),
        ("https_proxy", "https://store.example", "proxy.example:3128"),
        ("HTTP_PROXY", "http://store.example", "http://proxy.example:3128"),
    ],
)
def test_a_command_goes_through_the_proxy_of_boto3(
    monkeypatch: pytest.MonkeyPatch, variable: str, endpoint_url: str | None, proxy: str
) -> None:
    monkeypatch.setenv(variable, proxy)
    through = {GENERAL + "proxy.host": "proxy.example", GENERAL + "proxy.port": "3128"}
    assert proxy_of_a_command(endpoint_url) == through
    monkeypatch.setenv("NO_PROXY", "store.example,.amazonaws.com")
    assert proxy_of_a_command(endpoint_url) == {}


@pytest.mark.parametrize(
    ("region", "excluded"),
    [
        ("cn-north-1", ".amazonaws.com.cn"),
        ("us-east-1", "s3.amazonaws.com"),
        ("eu-west-1", "s3.eu-west-1.amazonaws.com"),
        ("", "s3.amazonaws.com"),
    ],
)
def test_a_command_goes_past_the_proxy_where_boto3_does(
    monkeypatch: pytest.MonkeyPatch, region: str, excluded: str
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    if region:
        monkeypatch.setenv("AWS_DEFAULT_REGION", region)
    assert proxy_of_a_command(None)
    monkeypatch.setenv("NO_PROXY", excluded)
    assert proxy_of_a_command(None) == {}


@pytest.mark.parametrize("prefix", [GENERAL, OF_BUCKET])
@pytest.mark.parametrize(
    ("variable", "keys"),
    [
        ("HTTPS_PROXY", {"endpoint": "https://minio.internal:9000"}),
        ("HTTPS_PROXY", {"endpoint": "minio.internal:9000"}),
        ("HTTP_PROXY", {"endpoint": "http://minio.internal:9000"}),
        ("HTTP_PROXY", {"endpoint": "minio.internal", "connection.ssl.enabled": "False"}),
    ],
)
def test_the_proxy_is_that_of_the_store_that_spark_names(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    prefix: str,
    variable: str,
    keys: dict[str, str],
) -> None:
    """boto3 does not know S3A's keys, and would have the proxy of Amazon's address."""
    monkeypatch.setenv(variable, "http://proxy.example:3128")
    own = {prefix + key: value for key, value in keys.items()}
    sites = "".join(f"{key} {value}\n" for key, value in own.items())
    assert proxy_of_a_command(None, own)
    monkeypatch.setenv("NO_PROXY", ".internal")
    assert proxy_of_a_command(None, own) == {}
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "spark-defaults.conf").write_text(sites, "utf-8")
    assert proxy_of_a_command(None) == {}
    # What names the store on the command line, or in the environment, wins over the site's file.
    for option in ("https://store.example", "http://store.example"):
        expected = option.startswith(variable.removesuffix("_PROXY").lower() + ":")
        assert bool(proxy_of_a_command(option)) == expected
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://store.example")
    assert bool(proxy_of_a_command(None)) == (variable == "HTTP_PROXY")


def test_a_proxy_without_a_port_has_that_of_http(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example")
    assert proxy_of_a_command(None)[GENERAL + "proxy.port"] == "80"


@pytest.mark.parametrize(
    "proxy",
    [
        "http://user:s3cr3t@proxy.example:3128",
        "https://proxy.example:3128",
        "http://proxy.example:port",
        "http://[::1]:3128",
    ],
)
def test_a_proxy_that_no_command_line_can_name_is_left_out(
    monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    assert proxy_of_a_command(None) == {}


@pytest.mark.parametrize("prefix", [GENERAL, OF_BUCKET])
def test_a_proxy_that_is_named_for_the_connector_stays(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, prefix: str
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    own = {prefix + "proxy.host": "own.example"}
    assert proxy_of_a_command(None, own) == own
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "spark-defaults.conf").write_text(f"{prefix}proxy.host own", "utf-8")
    assert proxy_of_a_command(None) == {}


@pytest.mark.parametrize("key", [GENERAL + "endpoint", OF_BUCKET + "endpoint"])
def test_two_stores_on_one_command_line_are_refused(key: str) -> None:
    with pytest.raises(UsageError, match="names another store than --endpoint-url") as refused:
        conf(STORE, None, {key: OTHER})
    assert f"--conf {key} " in str(refused.value)
    assert conf(STORE, None, {key: STORE})[OF_BUCKET + "endpoint"] == STORE


@pytest.mark.parametrize(
    "key",
    [*map("".join, product((GENERAL, OF_BUCKET), ("access.key", "aws.credentials.provider")))],
)
def test_two_sets_of_credentials_on_one_command_line_are_refused(key: str) -> None:
    with pytest.raises(UsageError, match="names other credentials than") as refused:
        conf(None, "prod", {key: "s3cr3t"})
    assert "s3cr3t" not in str(refused.value)


@pytest.mark.parametrize("key", [GENERAL + "endpoint", OF_BUCKET + "endpoint"])
def test_the_users_own_conf_wins_over_the_environment(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", STORE)
    found = conf(None, None, {key: OTHER})
    assert found[key] == OTHER
    assert found.get(OF_BUCKET + "endpoint") in (None, OTHER)


def test_a_store_of_the_users_own_conf_is_that_of_the_bucket_too() -> None:
    found = conf(None, None, {GENERAL + "endpoint": OTHER, GENERAL + "access.key": "mine"})
    assert (found[OF_BUCKET + "endpoint"], found[OF_BUCKET + "access.key"]) == (OTHER, "mine")
    found = conf(None, None, {GENERAL + "endpoint": OTHER, OF_BUCKET + "endpoint": STORE})
    assert (found[GENERAL + "endpoint"], found[OF_BUCKET + "endpoint"]) == (OTHER, STORE)


READ_FIRST = [["rollback", "s3://lake/sales", "--as-of", "2026-11-20"]]
READ_FIRST += [["follow", "s3://lake/sales", "--glue", "lake.sales"]]


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what the commands ask of boto3 and of the JVM."""
    asked: list[str] = []

    def told(who: str) -> Callable[..., int]:
        def note(*_: object, **__: object) -> int:
            asked.append(who)
            message = "It has been asked."
            raise RepaveError(message)

        return note

    for name, who in (("open_objects", "boto3"), ("glue_follower", "boto3"), ("run_in_jvm", "JVM")):
        monkeypatch.setattr(change, name, told(who))
    return asked


@pytest.mark.parametrize("words", READ_FIRST)
@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("endpoint", "another store"),
        ("access.key", "other credentials"),
        ("aws.credentials.provider", "other credentials"),
    ],
)
@pytest.mark.parametrize("prefix", [GENERAL, OF_BUCKET])
def test_a_version_of_one_store_is_not_looked_for_in_another(
    words: list[str], prefix: str, name: str, what: str, reads: list[str]
) -> None:
    """boto3 reads before the JVM changes, and does not know the keys of S3A."""
    result = CliRunner().invoke(main, [*words, "--conf", f"{prefix}{name}={OTHER}"])
    assert result.stderr.startswith(f"repave: --conf {prefix}{name} names {what} than boto3 uses")
    assert "--endpoint-url" in result.stderr
    assert (result.exit_code, reads) == (2, [])


@pytest.mark.parametrize("words", READ_FIRST)
def test_a_store_that_both_know_is_read(
    words: list[str], reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = ["--conf", f"{GENERAL}endpoint={STORE}", "--conf", f"{GENERAL}attempts.maximum=1"]
    own += ["--conf", f"{GENERAL}aws.credentials.provider={FROM_ENVIRONMENT}"]
    CliRunner().invoke(main, [*words, *own, "--endpoint-url", STORE])
    monkeypatch.setenv("AWS_ENDPOINT_URL", STORE)
    CliRunner().invoke(main, [*words, *own])
    assert reads == ["boto3", "boto3"]


@pytest.mark.parametrize(
    "words", [["rollback", "s3://lake/sales", "7"], ["follow", "s3://lake/sales", "--delta"]]
)
def test_what_the_jvm_alone_does_may_be_in_any_store(words: list[str], reads: list[str]) -> None:
    CliRunner().invoke(main, [*words, "--conf", f"{GENERAL}endpoint={OTHER}"])
    assert reads == ["JVM"]
