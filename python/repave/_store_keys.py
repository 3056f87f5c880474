"""S3A's keys for the store and the credentials of a command.

The site may have keys for one bucket, such as `fs.s3a.bucket.lake.endpoint`. They win over the
general ones, and Python cannot see those of core-site.xml. So a command sets the keys of its bucket
too, also for a general key of `--conf`: otherwise it could change another store than the one it was
given.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from repave._aws import Addressing, proxy_of
from repave._errors import UsageError

PREFIX: Final = "spark.hadoop.fs.s3a."
ENDPOINT: Final = "endpoint"
TLS: Final = "connection.ssl.enabled"
PROXY: Final = "proxy."
PROVIDER: Final = "aws.credentials.provider"
# Later versions of Hadoop replace it by the class of the SDK that they have.
FROM_ENVIRONMENT: Final = "com.amazonaws.auth.EnvironmentVariableCredentialsProvider"
# What must not differ from the options of the command, and all keys that decide it.
SINGLE: Final = {
    ENDPOINT: ("another store", (ENDPOINT,)),
    PROVIDER: ("other credentials", (PROVIDER, "access.key", "secret.key", "session.token")),
}


@dataclass(frozen=True)
class StoreKeys:
    """The general keys, without their prefix."""

    values: Mapping[str, str]

    @classmethod
    def of(cls, where: Addressing, *, signs: bool) -> "StoreKeys":
        """Return the keys for a store; `signs` if the user named a profile that has credentials."""
        store = {key.removeprefix(PREFIX): value for key, value in where.spark_conf().items()}
        return cls({**store, **({PROVIDER: FROM_ENVIRONMENT} if signs else {})})

    def conf(self, bucket: str, own: Mapping[str, str]) -> dict[str, str]:
        """Return Spark's conf, for the bucket too. What the user's own conf has wins.

        >>> StoreKeys({"endpoint": "http://a"}).conf("lake", {})
        {'spark.hadoop.fs.s3a.endpoint': 'http://a', \
'spark.hadoop.fs.s3a.bucket.lake.endpoint': 'http://a'}
        >>> StoreKeys({}).conf("lake", {"spark.hadoop.fs.s3a.endpoint": "http://b"})
        {'spark.hadoop.fs.s3a.bucket.lake.endpoint': 'http://b'}
        """
        names = (*self.values, *(name for _, some in SINGLE.values() for name in some))
        given = {name: own[PREFIX + name] for name in names if PREFIX + name in own}
        chosen = {**self.values, **given}
        general = {PREFIX + name: value for name, value in self.values.items()}
        return {**general, **{_of_bucket(bucket, name): value for name, value in chosen.items()}}

    def refuse_others(self, bucket: str, own: Mapping[str, str]) -> None:
        """Refuse a conf of the user's own that names another store or other credentials.

        Raises:
            UsageError: it does.
        """
        for key, what in self._others(bucket, own, [one for one in SINGLE if one in self.values]):
            message = (
                f"--conf {key} names {what} than --endpoint-url or --profile: "
                "leave one of them out."
            )
            raise UsageError(message)

    def refuse_unread(self, bucket: str, own: Mapping[str, str]) -> None:
        """Refuse a conf of the user's own by which the JVM changes what boto3 has not read.

        A version's number, or the files of a table, would be those of a table in another store.

        Raises:
            UsageError: it names another store or other credentials.
        """
        for key, what in self._others(bucket, own, SINGLE):
            message = (
                f"--conf {key} names {what} than boto3 uses, by which this command reads the table "
                "before the JVM changes it. Name the store by --endpoint-url and the credentials "
                "by --profile instead."
            )
            raise UsageError(message)

    def _others(
        self, bucket: str, own: Mapping[str, str], singles: Iterable[str]
    ) -> Iterator[tuple[str, str]]:
        """Yield the keys of the user's own conf that differ from these, and what they name."""
        for single in singles:
            what, names = SINGLE[single]
            for name in names:
                for key in (PREFIX + name, _of_bucket(bucket, name)):
                    if key in own and own[key] != self.values.get(single):
                        yield key, what


def named_store(bucket: str, conf: Mapping[str, str]) -> str | None:
    """Return the URL of the store that Spark's conf names for a bucket, None if it names none.

    >>> named_store("lake", {"spark.hadoop.fs.s3a.endpoint": "minio.internal:9000"})
    'https://minio.internal:9000'
    """

    def value(name: str) -> str:
        return conf.get(_of_bucket(bucket, name), conf.get(PREFIX + name, ""))

    endpoint = value(ENDPOINT)
    if not endpoint or "://" in endpoint:
        return endpoint or None
    # As S3A completes it.
    return f"{'http' if value(TLS).lower() == 'false' else 'https'}://{endpoint}"


def proxy_conf(store: str, bucket: str, present: Mapping[str, str]) -> dict[str, str]:
    """Return Spark's conf for boto3's proxy of a store: S3A of Hadoop 3.5 reads no HTTPS_PROXY.

    A proxy for S3A that `present` has stays. Left out are a proxy with a password, because every
    user of the machine can read a command line, and one that is asked over TLS, for which old
    connectors have no key.
    """
    prefixes = (PREFIX + PROXY, _of_bucket(bucket, PROXY))
    if any(key.startswith(prefixes) for key in present):
        return {}
    try:
        proxy = urlsplit(proxy_of(store) or "")
        host, port = proxy.hostname or "", proxy.port or 80
    except ValueError:
        return {}
    if proxy.scheme != "http" or "@" in proxy.netloc or ":" in host:
        return {}
    return {f"{PREFIX}{PROXY}host": host, f"{PREFIX}{PROXY}port": str(port)}


def _of_bucket(bucket: str, key: str) -> str:
    return f"{PREFIX}bucket.{bucket}.{key}"
