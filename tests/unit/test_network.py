"""Between the reader and the store: private authorities, proxies, keys of KMS, regions."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from botocore.exceptions import ClientError, LoginRefreshRequired, SSLError

from repave._aws import addressing, check_endpoint, credential_errors, session
from repave._bucket import client
from repave._errors import RepaveError, UsageError
from repave._location import Location
from repave._snapshot.arrow_access import Access
from repave._store_errors import store_errors

STORE = "https://store.example:9000"
TABLE = Location.of("s3://lake/sales")


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    names = ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE")
    for name in (*names, "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def bundle(tmp_path: Path) -> str:
    (tmp_path / "authority.pem").touch()
    return str(tmp_path / "authority.pem")


@pytest.mark.parametrize("variable", ["AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE"])
def test_pyarrow_trusts_the_authority_that_boto3_trusts(
    monkeypatch: pytest.MonkeyPatch, bundle: str, variable: str
) -> None:
    monkeypatch.setattr("pyarrow.fs.S3FileSystem", dict)
    assert "tls_ca_file_path" not in Access(STORE, None).filesystem("arrow")
    monkeypatch.setenv(variable, bundle)
    assert Access(STORE, None).filesystem("arrow")["tls_ca_file_path"] == bundle


def test_pyarrow_trusts_the_authority_of_the_profile(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bundle: str
) -> None:
    (tmp_path / "config").write_text(f"[profile store]\nca_bundle = {bundle}\n", "utf-8")
    monkeypatch.setattr("pyarrow.fs.S3FileSystem", dict)
    assert Access(STORE, "store").filesystem("arrow")["tls_ca_file_path"] == bundle


def test_an_old_pyarrow_reads_with_the_authorities_that_it_knows(
    monkeypatch: pytest.MonkeyPatch, bundle: str
) -> None:
    def old(*, access_key: str, endpoint_override: str, **more: object) -> tuple[str, str]:
        if "tls_ca_file_path" in more:
            message = "S3FileSystem() got an unexpected keyword argument 'tls_ca_file_path'"
            raise TypeError(message)
        return access_key, endpoint_override

    monkeypatch.setenv("AWS_CA_BUNDLE", bundle)
    monkeypatch.setattr("pyarrow.fs.S3FileSystem", old)
    assert Access(STORE, None).filesystem("arrow") == ("key", "store.example:9000")


def test_a_refused_certificate_names_the_variable_of_a_private_authority() -> None:
    refused = SSLError(endpoint_url=STORE, error=OSError("CERTIFICATE_VERIFY_FAILED"))
    with pytest.raises(RepaveError, match=r"set AWS_CA_BUNDLE to the file"), store_errors(TABLE):
        raise refused


class Proxy(BaseHTTPRequestHandler):
    """Has no object, and remembers what it was asked for."""

    asked: list[str]

    def do_HEAD(self) -> None:
        self.asked.append(self.path)
        self.send_response(404)
        self.end_headers()

    do_GET = do_HEAD  # noqa: N815 - http.server finds it by this name

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def proxy() -> Iterator[tuple[str, list[str]]]:
    Proxy.asked = []
    with HTTPServer(("127.0.0.1", 0), Proxy) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", Proxy.asked
        server.shutdown()


def test_rows_come_through_the_proxy_of_the_records(
    monkeypatch: pytest.MonkeyPatch, proxy: tuple[str, list[str]]
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy[0])
    files = Access("http://store.example:9000", None).filesystem("arrow")
    with pytest.raises(FileNotFoundError):
        files.open_input_file("lake/sales/a.parquet")
    assert "http://store.example:9000/lake/sales/a.parquet" in proxy[1]


def test_hosts_that_need_no_proxy_are_asked_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyarrow.fs.S3FileSystem", dict)
    monkeypatch.setenv("HTTPS_PROXY", "proxy.example")
    options = Access(None, None, "eu-west-1").filesystem("arrow")
    assert options["proxy_options"] == "http://proxy.example:80"
    monkeypatch.setenv("NO_PROXY", "store.example,.amazonaws.com")
    for store in (None, STORE):
        assert "proxy_options" not in Access(store, None, "eu-west-1").filesystem("arrow")


@pytest.mark.parametrize(
    ("region", "excluded"),
    [
        ("cn-north-1", ".amazonaws.com.cn"),
        ("us-east-1", "s3.amazonaws.com"),
        ("eu-west-1", "s3.eu-west-1.amazonaws.com"),
        ("", "s3.amazonaws.com"),
    ],
)
def test_rows_go_past_the_proxy_where_records_do(
    monkeypatch: pytest.MonkeyPatch, region: str, excluded: str
) -> None:
    monkeypatch.setattr("pyarrow.fs.S3FileSystem", dict)
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    assert "proxy_options" in Access(None, None, region).filesystem("arrow")
    monkeypatch.setenv("NO_PROXY", excluded)
    assert "proxy_options" not in Access(None, None, region).filesystem("arrow")


def test_no_client_is_made_to_find_the_proxy_where_none_is_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[object] = []
    monkeypatch.setattr("pyarrow.fs.S3FileSystem", dict)
    monkeypatch.setattr("repave._snapshot.arrow_access.proxy_of", made.append)
    monkeypatch.setattr("boto3.Session.client", lambda *_, **more: made.append(more))
    Access(None, None, "eu-west-1").filesystem("arrow")
    assert made == []


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (
            "User: arn:aws:iam::1:user/me is not authorized to perform: kms:Decrypt on x",
            r"and kms:Decrypt on the key .* S3 says: User: .* to perform: kms:Decrypt on x\.$",
        ),
        ("Access Denied", r"need s3:GetObject and s3:ListBucket on lake\.$"),
    ],
)
def test_a_denial_names_the_right_that_is_missing(told: str, expected: str) -> None:
    answer = {"Error": {"Code": "AccessDenied", "Message": told}}
    with pytest.raises(RepaveError, match=expected), store_errors(TABLE):
        raise ClientError(answer, "GetObject")  # type: ignore[arg-type]


@pytest.mark.parametrize("request_", ["AssumeRole", "GetRoleCredentials", "CreateOAuth2Token"])
def test_a_refused_login_is_no_refusal_of_the_store(request_: str) -> None:
    """boto3 sends these requests for its credentials, before that for the object."""
    answer = {"Error": {"Code": "ForbiddenException", "Message": "No access"}}
    told = f"credentials cannot be used.*{request_}.*Log in"
    with pytest.raises(UsageError, match=told), store_errors(TABLE):
        raise ClientError(answer, request_)  # type: ignore[arg-type]


def test_an_expired_login_is_to_be_renewed() -> None:
    with (
        pytest.raises(UsageError, match=r"credentials cannot be used.*Log in"),
        store_errors(TABLE),
    ):
        raise LoginRefreshRequired


def test_a_region_that_is_not_set_is_told_with_its_variable() -> None:
    with (
        pytest.raises(UsageError, match=r"^No AWS region is set: set AWS_DEFAULT_REGION"),
        credential_errors(),
    ):
        session(None).client("glue")


def test_the_scheme_of_an_endpoint_may_be_in_capitals() -> None:
    check_endpoint("HTTP://127.0.0.1:9000")
    assert client("HTTP://127.0.0.1:9000").meta.endpoint_url == "http://127.0.0.1:9000"
    conf = addressing("HTTPS://127.0.0.1:9000", None).spark_conf()
    assert conf["spark.hadoop.fs.s3a.connection.ssl.enabled"] == "true"
