"""The user's AWS settings, as boto3 finds them, with errors of one sentence each."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from json import JSONDecodeError
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from repave._errors import UsageError

ENDPOINT_VARIABLES = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
ENDPOINT_KEYS = {"endpoint_url", "services"}
# The variables by which credentials are passed on; the last one is an older name of the token.
CREDENTIALS = (
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_SECURITY_TOKEN",
)
# boto3's names for a machine's own role. The connector finds and renews these itself.
OF_THE_MACHINE = ("iam-role", "container-role")


def session(profile: str | None) -> Any:  # noqa: ANN401 - boto3 has no types
    """Return a boto3 session. Call this inside `credential_errors`."""
    import boto3  # noqa: PLC0415 - half a second that `repave jar` need not pay
    import botocore.session  # noqa: PLC0415

    core = botocore.session.get_session()
    descriptions = _service_descriptions()
    core.register_component("data_loader", descriptions)
    core.get_component("response_parser_factory").set_parser_defaults(
        timestamp_parser=answered_time
    )
    found = boto3.Session(botocore_session=core, profile_name=profile)
    # Each session adds boto3's folder once more.
    descriptions.search_paths[:] = dict.fromkeys(descriptions.search_paths)
    return found


def answered_time(text: Any) -> datetime:  # noqa: ANN401 - a text or a number
    """Parse a time of an answer. A listing has a thousand, which botocore parses slowly.

    >>> answered_time("2026-11-22T03:00:00.000Z").isoformat()
    '2026-11-22T03:00:00+00:00'
    """
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00"))
    except (AttributeError, ValueError):
        from botocore.utils import parse_timestamp  # noqa: PLC0415

        found: datetime = parse_timestamp(text)
        return found


@cache
def _service_descriptions() -> Any:  # noqa: ANN401 - botocore has no types
    """Return what botocore knows of services; parsing it takes longer than opening a table."""
    import botocore.session  # noqa: PLC0415

    return botocore.session.get_session().get_component("data_loader")


def credentials(profile: str | None) -> dict[str, str]:
    """Return the credentials that boto3 would use, as variables; none of a machine's own role.

    Raises:
        UsageError: the profile or the credentials cannot be used.
    """
    with credential_errors():
        return credentials_of(session(profile))


def credentials_of(found: Any) -> dict[str, str]:  # noqa: ANN401 - boto3 has no types
    """Return those of a session. Call this inside `credential_errors`."""
    own = found.get_credentials()
    if own is None or own.method in OF_THE_MACHINE:
        return {}
    frozen = own.get_frozen_credentials()
    named = {
        "AWS_ACCESS_KEY_ID": frozen.access_key,
        "AWS_SECRET_ACCESS_KEY": frozen.secret_key,
        "AWS_SESSION_TOKEN": frozen.token,
    }
    return {name: value for name, value in named.items() if value}


@dataclass(frozen=True)
class Addressing:
    """How to reach a store: boto3 reads, and S3A makes changes."""

    endpoint_url: str | None
    region: str | None
    style: str

    @classmethod
    def of(cls, found: Any, endpoint_url: str | None) -> "Addressing":  # noqa: ANN401 - boto3
        """Return what the user's settings say.

        Args:
            found: a session of boto3.
            endpoint_url: the store, if it is not Amazon's; by default what the profile or
                AWS_ENDPOINT_URL says. Many have no bucket in the host name.
        """
        endpoint_url = _lower_scheme(endpoint_url or _configured_endpoint(found))
        own = found._session.get_scoped_config().get("s3")  # noqa: SLF001 - no public name
        style = own.get("addressing_style") if isinstance(own, dict) else None
        default = "path" if endpoint_url else "auto"
        region = found.region_name or ("us-east-1" if endpoint_url else None)
        return cls(endpoint_url, region, style or default)

    def spark_conf(self) -> dict[str, str]:
        """Return the connector's keys for a store that is not Amazon's.

        >>> conf = Addressing("http://127.0.0.1:9000", "eu-west-1", "path").spark_conf()
        >>> conf["spark.hadoop.fs.s3a.connection.ssl.enabled"]
        'false'
        """
        if self.endpoint_url is None:
            return {}
        keys = {
            "endpoint": self.endpoint_url,
            "endpoint.region": self.region or "us-east-1",
            "path.style.access": str(self.style != "virtual").lower(),
            "connection.ssl.enabled": str(self.endpoint_url.startswith("https://")).lower(),
        }
        return {f"spark.hadoop.fs.s3a.{key}": value for key, value in keys.items()}


def _lower_scheme(url: str | None) -> str | None:
    return None if url is None else urlsplit(url)._replace(scheme=urlsplit(url).scheme).geturl()


def ca_bundle(found: Any) -> str | None:  # noqa: ANN401 - boto3 has no types
    """Return the file of certificates that boto3 trusts, None if it is botocore's own."""
    named = found._session.get_config_variable("ca_bundle")  # noqa: SLF001 - no public name
    named = named or os.environ.get("REQUESTS_CA_BUNDLE")
    return str(named) if named and Path(named).is_file() else None


def proxy_of(url: str) -> str | None:
    """Return the proxy through which boto3 reaches a URL, as HTTPS_PROXY and NO_PROXY say."""
    from botocore.httpsession import ProxyConfiguration  # noqa: PLC0415 - as boto3
    from botocore.utils import get_environ_proxies  # noqa: PLC0415

    found = ProxyConfiguration(get_environ_proxies(url)).proxy_url_for(url)
    return str(found) if found else None


def _configured_endpoint(found: Any) -> str | None:  # noqa: ANN401 - boto3 has no types
    """Return the endpoint of the user's settings, None if they name none.

    Commands that make changes run in a JVM, and pyarrow reads rows. Both know fewer of these
    settings than boto3, and must not go to another store.
    """
    core = found._session  # noqa: SLF001 - no public name
    if core.get_config_variable("ignore_configured_endpoint_urls"):
        return None
    for variable in ENDPOINT_VARIABLES:
        named = os.environ.get(variable)
        if named:
            with _configured():
                check_endpoint(named)
            return named
    if not core.get_scoped_config().keys() & ENDPOINT_KEYS:
        return None
    # Each of these clients takes as long as a request, and only profiles need them.
    from botocore.config import Config  # noqa: PLC0415 - as boto3

    region = found.region_name or "us-east-1"
    # The type stubs do not know it.
    amazon = Config(ignore_configured_endpoint_urls=True)  # type: ignore[call-arg]
    with _configured():
        named = found.client("s3", region_name=region).meta.endpoint_url
    usual = found.client("s3", region_name=region, config=amazon).meta.endpoint_url
    return None if named == usual else str(named)


@contextmanager
def _configured() -> Iterator[None]:
    """Explain an endpoint that cannot be used, which the user has not passed here."""
    try:
        yield
    except (UsageError, ValueError) as error:
        why = str(error).rstrip(".")
        message = f"AWS_ENDPOINT_URL, or the AWS profile's endpoint_url, cannot be used: {why}."
        raise UsageError(message) from None


def addressing(endpoint_url: str | None, profile: str | None) -> Addressing:
    """Return how the user's profile reaches the store."""
    with credential_errors():
        return Addressing.of(session(profile), endpoint_url)


def check_endpoint(endpoint_url: str | None) -> None:
    """Refuse an endpoint that is not a URL.

    >>> check_endpoint("127.0.0.1:9000")
    Traceback (most recent call last):
    repave._errors.UsageError: The endpoint 127.0.0.1:9000 is not a URL: it begins with https:// or http://.
    """
    if endpoint_url is None:
        return
    if not endpoint_url.lower().startswith(("https://", "http://")):
        message = f"The endpoint {endpoint_url} is not a URL: it begins with https:// or http://."
        raise UsageError(message)
    if not _has_host(endpoint_url):
        message = (
            f"The endpoint {endpoint_url} cannot be used: a host's name has letters, digits, "
            "hyphens and dots, and its port is a number such as 9000."
        )
        raise UsageError(message)


def _has_host(endpoint_url: str) -> bool:
    """Return whether boto3 accepts the host of a URL; otherwise it raises a ValueError."""
    from botocore.utils import (  # noqa: PLC0415 - as boto3
        is_valid_endpoint_url,
        is_valid_ipv6_endpoint_url,
    )

    try:
        urlsplit(endpoint_url).port  # noqa: B018 - raises
        name = is_valid_endpoint_url(endpoint_url)
        return bool(name or is_valid_ipv6_endpoint_url(endpoint_url))
    except ValueError:
        return False


@contextmanager
def credential_errors() -> Iterator[None]:
    """Explain boto3's errors about a profile or credentials."""
    from botocore.exceptions import (  # noqa: PLC0415
        BotoCoreError,
        ClientError,
        NoRegionError,
        ProfileNotFound,
    )

    try:
        yield
    except NoRegionError as error:
        message = "No AWS region is set: set AWS_DEFAULT_REGION, or `region` of the AWS profile."
        raise UsageError(message) from error
    except ProfileNotFound as error:
        name = error.kwargs["profile"]
        message = f"There is no AWS profile {name}: `aws configure list-profiles` lists them."
        raise UsageError(message) from None
    except UsageError:
        raise
    except (JSONDecodeError, UnicodeDecodeError) as error:
        no_json = "the answer of the credential_process is not JSON"
        raise unusable(no_json) from error
    except (BotoCoreError, ClientError, OSError, ValueError) as error:
        raise (_refused(error) if _is_of_a_setting(error) else unusable(error)) from error


def _is_of_a_setting(error: Exception) -> bool:
    """Tell whether boto3 refuses a value, such as a word in place of a number.

    botocore has a class for many settings. InvalidConfigError is that of a profile's credentials.
    """
    name = type(error).__name__
    refused = name.startswith("Invalid") or name == "ConfigParseError"
    return isinstance(error, ValueError) or (refused and name != "InvalidConfigError")


def _refused(error: Exception) -> UsageError:
    return UsageError(
        f"boto3 does not accept one of the AWS settings: {str(error).rstrip('.')}. Correct it in "
        "the environment or in the file ~/.aws/config."
    )


def unusable(why: Exception | str) -> UsageError:
    """Return the error for credentials that boto3 cannot get."""
    told = str(why).rstrip(".")
    return UsageError(
        f"The AWS credentials cannot be used: {told}. Log in again, or choose others with "
        "--profile or AWS_PROFILE."
    )
