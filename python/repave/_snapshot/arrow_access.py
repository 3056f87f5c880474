"""Gives pyarrow the credentials and settings that boto3 finds."""

from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import getproxies

from repave._aws import Addressing, ca_bundle, credential_errors, credentials_of, proxy_of
from repave._snapshot.extras import library
from repave._snapshot.recent_sessions import RECENT_SESSIONS

TIMEOUT_SECONDS: Final = 60.0
# Where boto3 asks Amazon if no region is configured.
UNNAMED_REGION: Final = "us-east-1"


@dataclass(frozen=True)
class Access:
    """A store, and the AWS profile to use.

    `region` is that of the bucket, "" if it is only known from the profile.
    """

    endpoint_url: str | None
    profile: str | None
    region: str = ""

    def filesystem(self, extra: str) -> Any:  # noqa: ANN401 - pyarrow has no types
        """Return pyarrow's file system for the store.

        Credentials are looked up now and are not renewed, but for those of the machine's own role,
        which pyarrow finds and renews by itself.
        """
        fs = library("pyarrow.fs", extra)
        session = RECENT_SESSIONS.of(self.profile).session
        with credential_errors():
            way, keys = Addressing.of(session, self.endpoint_url), credentials_of(session)
            bundle = ca_bundle(session)
            # Without a region pyarrow would take AWS_REGION, which boto3 does not read.
            region = way.region if way.endpoint_url else self.region or way.region or UNNAMED_REGION
            # boto3 knows Amazon's addresses, such as those in China. To make a client takes as long
            # as some requests.
            store = way.endpoint_url or (_amazon(session, region) if getproxies() else None)
        options: dict[str, object] = {
            "access_key": keys.get("AWS_ACCESS_KEY_ID"),
            "secret_key": keys.get("AWS_SECRET_ACCESS_KEY"),
            "session_token": keys.get("AWS_SESSION_TOKEN"),
            "region": region,
            "proxy_options": _proxy(store) if store else None,
            # As boto3. By its own default pyarrow fails when a busy store is silent for 3 seconds.
            "request_timeout": TIMEOUT_SECONDS,
        }
        if way.endpoint_url is not None:
            url = urlsplit(way.endpoint_url)
            options |= {
                "endpoint_override": url.netloc + url.path.rstrip("/"),
                "scheme": url.scheme,
                "force_virtual_addressing": way.style == "virtual",
            }
        given = {name: value for name, value in options.items() if value}
        if bundle is None:
            return fs.S3FileSystem(**given)
        try:
            return fs.S3FileSystem(**given, tls_ca_file_path=bundle)
        except TypeError:  # pyarrow before 21 has no such option
            return fs.S3FileSystem(**given)


def _amazon(session: Any, region: str | None) -> str:  # noqa: ANN401 - boto3 has no types
    return str(session.client("s3", region_name=region).meta.endpoint_url)


def _proxy(url: str) -> str | None:
    """Return the proxy of a URL with its port, which pyarrow does not complete."""
    found = proxy_of(url)
    if found is None:
        return None
    parts = urlsplit(found)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return found if parts.port else f"{parts.scheme}://{parts.netloc}:{port}"
