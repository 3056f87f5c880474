"""Errors of S3 in plain words, with what to do about them."""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from repave._aws import unusable
from repave._errors import RepaveError, UsageError
from repave._location import Location
from repave._temporary import TEMPORARY_CODES

DENIED = ("AccessDenied", "403")
ARCHIVED = "InvalidObjectState"
# The requests by which boto3 gets credentials: for a role, for single sign-on, after `aws login`.
LOGINS = ("AssumeRole", "GetRoleCredentials", "CreateOAuth2Token")
OTHER_REGION = (
    "set AWS_DEFAULT_REGION to the bucket's region; an endpoint that --endpoint-url, the profile "
    "or AWS_ENDPOINT_URL names must be of that region too"
)
OVERLOADED = ("ServiceUnavailable", "InternalError", "500", "502", "503", "504", *TEMPORARY_CODES)
# What to do about an error, by S3's error code.
FIXES = {
    "NoSuchBucket": "check the name and --endpoint-url",
    "InvalidAccessKeyId": "check AWS_PROFILE and --endpoint-url: the store does not know the key",
    "SignatureDoesNotMatch": "check the secret key: it does not belong to the access key",
    "ExpiredToken": "log in again: the session token has expired",
    ARCHIVED: "restore the object, which is in an archive class of S3, and take the "
    "table out of the lifecycle rule that moved it there",
    "KMS.DisabledException": "enable the KMS key that encrypts the object",
    "RequestTimeTooSkewed": "set the clock of this machine, for example by NTP",
    "PermanentRedirect": OTHER_REGION,
    "AuthorizationHeaderMalformed": OTHER_REGION,
    **dict.fromkeys(OVERLOADED, "run it again later: the store is overloaded or down"),
}
ABSENT = ("NoSuchKey", "404")
# In what S3 and MinIO say to a GET of an object without its key.
ENCRYPTED = "Server Side Encryption"


class WebPageError(Exception):
    """The cause of an error: a web page in place of an answer of S3."""


@contextmanager
def store_errors(location: Location) -> Iterator[None]:
    """Explain boto3's errors in one sentence."""
    from botocore import exceptions  # noqa: PLC0415
    from botocore.exceptions import (  # noqa: PLC0415
        BotoCoreError,
        ClientError,
        CredentialRetrievalError,
        EndpointConnectionError,
        NoCredentialsError,
        ParamValidationError,
        ProxyConnectionError,
        SSLError,
        SSOError,
        TokenRetrievalError,
    )

    # Older boto3 does not know `aws login`.
    login_error: type[Exception] = getattr(exceptions, "LoginError", SSOError)
    try:
        yield
    except ClientError as error:
        if error.operation_name.startswith(LOGINS):
            raise unusable(error) from error
        raise RepaveError(_sentence(error, location)) from error
    except NoCredentialsError as error:
        message = (
            "There are no AWS credentials. Set AWS_PROFILE, or AWS_ACCESS_KEY_ID and "
            "AWS_SECRET_ACCESS_KEY, or pass --profile (`profile` in Python)."
        )
        raise RepaveError(message) from error
    except (CredentialRetrievalError, SSOError, TokenRetrievalError, login_error) as error:
        raise unusable(error) from error
    except ParamValidationError as error:
        message = f"{location} cannot be a place on S3: no bucket is named so. Check the path."
        raise UsageError(message) from error
    except SSLError as error:
        message = (
            f"S3 cannot be reached: {error}. Check --endpoint-url (`endpoint_url` in Python) and "
            "the network. If a private authority signed the store's certificate, set AWS_CA_BUNDLE "
            "to the file of that authority's certificate."
        )
        raise RepaveError(message) from error
    except (EndpointConnectionError, ProxyConnectionError) as error:
        message = (
            f"S3 cannot be reached: {error}. Check --endpoint-url (`endpoint_url` in Python) and "
            "the network."
        )
        raise RepaveError(message) from error
    except BotoCoreError as error:
        message = f"The request for {location} failed: {error}. Run it again."
        raise RepaveError(message) from error


def is_denied(error: RepaveError) -> bool:
    """Return whether the credentials may not read a place. They may read others."""
    return hasattr(error.__cause__, "response") and error_code(error.__cause__) in DENIED


def is_unreadable(error: RepaveError) -> bool:
    """Return whether S3 cannot read this one object: archived, or its KMS key is not usable."""
    cause = error.__cause__
    code = error_code(cause) if hasattr(cause, "response") else ""
    by_kms = code.startswith("KMS.") and code not in OVERLOADED
    return code == ARCHIVED or (by_kms and status_code(cause) < HTTPStatus.INTERNAL_SERVER_ERROR)


def is_web_page(error: RepaveError) -> bool:
    """Return whether something on the way answered for the store, maybe for this place only."""
    return isinstance(error.__cause__, WebPageError)


def error_code(error: Any) -> str:  # noqa: ANN401 - boto3 has no types
    """Return S3's error code of a failed request."""
    return str(error.response.get("Error", {}).get("Code") or status_code(error))


def status_code(error: Any) -> int:  # noqa: ANN401 - boto3 has no types
    """Return the HTTP status of a failed request."""
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _sentence(error: Any, location: Location) -> str:  # noqa: ANN401 - boto3 has no types
    code, told = error_code(error), str(error.response.get("Error", {}).get("Message") or "")
    if code == "NoSuchBucket":
        return f"There is no bucket {location.bucket}: {FIXES[code]}."
    if code in DENIED:
        return _denial(told, location)
    if code == "InvalidRequest" and ENCRYPTED in told:
        return (
            f"{location} is encrypted with a key that each request has to send (SSE-C), which only "
            "S3A does. Read the table with Spark."
        )
    fix = FIXES.get(code, "")
    return f"S3 refused the request for {location}: {code}.{fix and f' To fix this, {fix}.'}"


def _denial(told: str, location: Location) -> str:
    """Return what the credentials lack; S3 may say it, but not in its two usual texts."""
    need = f"s3:GetObject and s3:ListBucket on {location.bucket}"
    if "kms:" in told:
        need += ", and kms:Decrypt on the key that encrypts its objects"
    cause = "" if told in ("", "Access Denied", "Forbidden") else f" S3 says: {told.rstrip('.')}."
    return f"Reading {location} is denied: the credentials need {need}.{cause}"
