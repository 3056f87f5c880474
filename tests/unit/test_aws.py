"""Settings of AWS that cannot work, as a user of the command line meets them."""

import re
from collections.abc import Iterator
from datetime import timezone
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from botocore.utils import parse_timestamp
from click.testing import CliRunner

from repave import UsageError
from repave._aws import (
    ENDPOINT_VARIABLES,
    addressing,
    answered_time,
    check_endpoint,
    session,
)
from repave._bucket import client
from repave._jar_command import prepare
from repave._snapshot.arrow_access import Access
from repave._store_errors import FIXES
from repave.cli import main

TABLE = "s3://lake/sales"
PROFILES = """
[profile half]
aws_access_key_id = a

[profile session]
region = eu-west-1
aws_access_key_id = key
aws_secret_access_key = secret
aws_session_token = token

[profile virtual]
region = eu-central-1
s3 =
    addressing_style = virtual

[profile login]
sso_start_url = https://nowhere.invalid/start
sso_region = us-east-1
sso_account_id = 111122223333
sso_role_name = reader

[profile role]
region = us-east-1
role_arn = arn:aws:iam::111122223333:role/reader
source_profile = session

[profile store]
region = eu-west-1
aws_access_key_id = key
aws_secret_access_key = secret
endpoint_url = http://127.0.0.1:9000

[profile words]
credential_process = echo hello

[profile lost]
credential_process = /nowhere/tool

[profile of-services]
aws_access_key_id = key
aws_secret_access_key = secret
services = local

[services local]
s3 =
    endpoint_url = http://127.0.0.1:9000
"""
STORE = "http://127.0.0.1:9000"


@pytest.fixture
def _environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config").write_text(PROFILES, "utf-8")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    keys = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE")
    for name in (*keys, *ENDPOINT_VARIABLES, "AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "repave.jar").touch()
    monkeypatch.setenv("REPAVE_JAR", str(tmp_path / "repave.jar"))
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "hadoop-client-api-3.5.0.jar").touch()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))


@pytest.mark.usefixtures("_environment")
@pytest.mark.parametrize("command", ["status", "recover", "vacuum"])
@pytest.mark.parametrize(
    ("profile", "message"),
    [
        ("nobody", "There is no AWS profile nobody: `aws configure"),
        ("half", "The AWS credentials cannot be used: Partial credentials found"),
        ("login", "The AWS credentials cannot be used: Error loading SSO Token"),
        ("words", "The AWS credentials cannot be used: the answer of the credential_process is"),
        ("lost", "The AWS credentials cannot be used: [Errno 2]"),
    ],
)
def test_a_profile_that_cannot_be_used_is_told_in_one_sentence(
    command: str, profile: str, message: str
) -> None:
    line = [command, TABLE, "--profile", profile, "--endpoint-url", "http://127.0.0.1:1"]
    result = CliRunner().invoke(main, line)
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.stderr.startswith("repave: ")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.exit_code in (1, 2)


@pytest.mark.usefixtures("_environment")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("AWS_MAX_ATTEMPTS", "many"),
        ("AWS_MAX_ATTEMPTS", "0"),
        ("AWS_DEFAULT_REGION", "us east"),
        ("AWS_DEFAULTS_MODE", "quick"),
    ],
)
def test_a_setting_that_boto3_does_not_accept_is_told_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.delenv("AWS_REGION", raising=False)
    monkeypatch.setenv(name, value)
    result = CliRunner().invoke(main, ["status", TABLE, "--endpoint-url", STORE])
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.stderr.startswith("repave: boto3 does not accept one of the AWS settings: ")
    assert value in result.stderr
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)


@pytest.mark.usefixtures("_environment")
def test_a_profile_of_the_environment_is_named_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    result = CliRunner().invoke(main, ["status", TABLE])
    assert result.stderr.startswith("repave: There is no AWS profile nobody:")
    assert result.exit_code == 2


@pytest.mark.usefixtures("_environment")
def test_what_reads_and_what_changes_speak_to_the_store_in_one_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("AWS_REGION", raising=False)
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    url = "http://store.example:9000"
    for profile, region, style, in_path in (
        ("virtual", "eu-central-1", "virtual", "false"),
        ("half", "us-east-1", "path", "true"),
    ):
        way = addressing(url, profile)
        conf = way.spark_conf()
        assert (way.region, way.style) == (region, style)
        assert conf["spark.hadoop.fs.s3a.endpoint.region"] == region
        assert conf["spark.hadoop.fs.s3a.path.style.access"] == in_path
    reading = client(url, "virtual").meta
    assert reading.region_name == "eu-central-1"
    assert reading.config.s3["addressing_style"] == "virtual"


@pytest.mark.usefixtures("_environment")
def test_the_variable_that_an_error_names_sets_the_region(monkeypatch: pytest.MonkeyPatch) -> None:
    (name,) = set(re.findall(r"set (AWS_\w*REGION)", " ".join(FIXES.values())))
    for variable in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv(name, "eu-north-1")
    for variable in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(variable, "x")
    assert client().meta.region_name == "eu-north-1"


@pytest.mark.usefixtures("_environment")
@pytest.mark.parametrize("where", ["store", "of-services", *ENDPOINT_VARIABLES])
def test_the_configured_store_is_that_of_the_records_the_rows_and_the_changes(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise `repave status` would look at one store, and `repave recover` change another."""
    profile = where
    if where in ENDPOINT_VARIABLES:
        monkeypatch.setenv(where, STORE)
        profile = "session"
    assert client(None, profile).meta.endpoint_url == STORE
    way = prepare("lake", None, profile, {}, {})
    words = way.line(Path("answer"), "recover")
    assert f"spark.hadoop.fs.s3a.endpoint={STORE}" in words
    assert f"spark.hadoop.fs.s3a.bucket.lake.endpoint={STORE}" in words
    monkeypatch.setattr("pyarrow.fs.S3FileSystem", dict)
    found = Access(None, profile).filesystem("arrow")
    assert (found["endpoint_override"], found["scheme"]) == ("127.0.0.1:9000", "http")


@pytest.mark.usefixtures("_environment")
def test_a_configured_store_that_is_ignored_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", STORE)
    monkeypatch.setenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true")
    assert addressing(None, "session").endpoint_url is None
    monkeypatch.setenv("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "false")
    assert addressing(None, "session").endpoint_url == STORE
    assert addressing("http://127.0.0.1:1", "session").endpoint_url == "http://127.0.0.1:1"


@pytest.mark.usefixtures("_environment")
@pytest.mark.parametrize(
    ("endpoint_url", "own"),
    [
        (None, {}),
        (
            "http://127.0.0.1:9000/",
            {
                "endpoint_override": "127.0.0.1:9000",
                "scheme": "http",
                "force_virtual_addressing": False,
            },
        ),
    ],
)
def test_pyarrow_gets_the_profiles_keys_region_and_store(
    endpoint_url: str | None, own: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pyarrow.fs.S3FileSystem", dict)
    assert Access(endpoint_url, "session").filesystem("arrow") == {
        "access_key": "key",
        "secret_key": "secret",
        "session_token": "token",
        "region": "eu-west-1",
        "request_timeout": 60.0,
        **{name: value for name, value in own.items() if value},
    }


DENIED = (
    b'<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type>'
    b"<Code>AccessDenied</Code><Message>no sts:AssumeRole</Message></Error></ErrorResponse>"
)


class DenyingSts(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.send_response(403)
        self.send_header("Content-Length", str(len(DENIED)))
        self.end_headers()
        self.wfile.write(DENIED)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def _denied_role(_environment: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """STS does not let the user assume the role of the profile `role`."""
    with HTTPServer(("127.0.0.1", 0), DenyingSts) as sts:
        Thread(target=sts.serve_forever, args=(0.01,), daemon=True).start()
        monkeypatch.setenv("AWS_ENDPOINT_URL_STS", f"http://127.0.0.1:{sts.server_port}")
        yield
        sts.shutdown()


@pytest.mark.usefixtures("_denied_role")
@pytest.mark.parametrize("command", ["status", "recover"])
def test_a_role_that_may_not_be_assumed_is_told_in_one_sentence(command: str) -> None:
    line = [command, TABLE, "--profile", "role", "--endpoint-url", "http://127.0.0.1:1"]
    result = CliRunner().invoke(main, line)
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.stderr.startswith("repave: The AWS credentials cannot be used: ")
    assert "no sts:AssumeRole" in result.stderr
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)


@pytest.mark.usefixtures("_denied_role")
def test_pyarrow_gets_no_keys_of_a_role_that_may_not_be_assumed() -> None:
    with pytest.raises(UsageError, match=r"credentials cannot be used: .*AssumeRole"):
        Access("http://127.0.0.1:1", "role").filesystem("arrow")


@pytest.mark.usefixtures("_environment")
@pytest.mark.parametrize("command", ["status", "doctor", "recover"])
@pytest.mark.parametrize(
    "url", ["http://", "http://my_minio:9000", "http://[::1", "http://a b", "http://minio:port"]
)
def test_an_endpoint_without_a_usable_host_is_told_in_one_sentence(command: str, url: str) -> None:
    result = CliRunner().invoke(main, [command, TABLE, "--endpoint-url", url])
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.stderr.startswith(f"repave: The endpoint {url} cannot be used: ")
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)


@pytest.mark.parametrize("url", ["http://[::1]:9000", "https://s3.local.", "http://127.0.0.1/x"])
def test_an_endpoint_with_a_host_is_usable(url: str) -> None:
    check_endpoint(url)


@pytest.mark.usefixtures("_environment")
@pytest.mark.parametrize("name", ENDPOINT_VARIABLES)
def test_a_variable_of_an_endpoint_may_be_empty_and_must_be_a_url(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "")
    assert addressing(None, "session").endpoint_url is None
    monkeypatch.setenv(name, "minio:9000")
    result = CliRunner().invoke(main, ["status", TABLE, "--profile", "session"])
    assert result.stderr.startswith("repave: AWS_ENDPOINT_URL, or the AWS profile's endpoint_url")
    assert result.exit_code == 2


def test_what_is_known_of_services_is_parsed_once_for_all_sessions() -> None:
    loaders = [session(None)._session.get_component("data_loader") for _ in range(3)]
    assert loaders[0] is loaders[1] is loaders[2]
    assert len(loaders[0].search_paths) == len(set(loaders[0].search_paths))


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-22T03:04:05.678Z",
        "2026-11-22T03:04:05Z",
        "2026-11-22T05:04:05+02:00",
        "Sun, 22 Nov 2026 03:04:05 GMT",
        "1795316645",
        1795316645.5,
    ],
)
def test_times_are_those_of_botocore(text: object) -> None:
    assert answered_time(text) == parse_timestamp(text)  # type: ignore[arg-type]  # numbers too
    assert answered_time(text).utcoffset() is not None


def test_a_sessions_clients_parse_times_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for key in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(key, "x")
    client = session(None).client("s3", region_name="us-east-1")
    shape = client.meta.service_model.operation_model("ListObjectsV2").output_shape
    body = (
        b"<r><Contents><Key>k</Key><LastModified>2026-11-22T03:04:05Z</LastModified></Contents></r>"
    )
    answer = client._endpoint._response_parser_factory.create_parser("rest-xml").parse(
        {"status_code": 200, "headers": {}, "body": body}, shape
    )
    assert answer["Contents"][0]["LastModified"].tzinfo is timezone.utc
