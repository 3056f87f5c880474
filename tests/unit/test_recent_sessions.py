"""A client of boto3 is kept for the next opening, and no longer than what it was made from."""

import os
from pathlib import Path

import pytest

from repave import UsageError
from repave._snapshot import recent_sessions
from repave._snapshot.recent_sessions import (
    BUCKETS_MAX,
    KEPT_SECONDS,
    SESSIONS_MAX,
    RecentSessions,
)


@pytest.fixture(autouse=True)
def credentials_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    file = tmp_path / "credentials"
    write(file, "first")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(file))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    return file


def write(file: Path, *keys: str) -> None:
    names = ["default", *(f"more-{n}" for n in range(1, len(keys)))]
    file.write_text(
        "".join(
            f"[{name}]\naws_access_key_id = {key}\naws_secret_access_key = s\n"
            for name, key in zip(names, keys, strict=True)
        )
    )


def key_of(recent: RecentSessions) -> str:
    key: str = recent.of(None).session.get_credentials().access_key
    return key


def test_the_next_opening_of_a_bucket_gets_the_same_client() -> None:
    recent = RecentSessions()
    client, region = recent.of(None).client("lake", None)
    assert recent.of(None).client("lake", None) == (client, region)
    assert recent.of(None).client("other", None)[0] is not client
    assert recent.of(None).client("lake", "http://127.0.0.1:9")[0] is not client


def test_other_variables_and_files_make_a_new_session(
    monkeypatch: pytest.MonkeyPatch, credentials_file: Path
) -> None:
    recent = RecentSessions()
    assert key_of(recent) == "first"
    write(credentials_file, "second key")
    assert key_of(recent) == "second key"
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "third")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s")
    assert key_of(recent) == "third"
    before = recent.of(None)
    Path(os.environ["AWS_CONFIG_FILE"]).write_text("[default]\nregion = eu-west-3\n", "utf-8")
    assert recent.of(None) is not before


def test_a_session_is_kept_for_a_limited_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(recent_sessions, "monotonic", lambda: now)
    recent = RecentSessions()
    first = recent.of(None)
    now += KEPT_SECONDS
    assert recent.of(None) is first
    now += 1
    assert recent.of(None) is not first


def test_a_forked_process_makes_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes that write to one connection would get each other's answers."""
    recent = RecentSessions()
    first = recent.of(None)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert recent.of(None) is not first


def test_few_sessions_and_clients_are_kept(credentials_file: Path) -> None:
    write(credentials_file, *(str(number) for number in range(SESSIONS_MAX + 3)))
    recent = RecentSessions()
    for number in range(1, SESSIONS_MAX + 3):
        recent.of(f"more-{number}")
    assert len(recent._sessions) == SESSIONS_MAX
    one = recent.of(None)
    last = [one.client(f"lake-{number}", None) for number in range(BUCKETS_MAX + 3)][-1]
    assert len(one._clients) == BUCKETS_MAX
    assert one.client(f"lake-{BUCKETS_MAX + 2}", None) == last


def test_a_profile_that_is_missing_is_looked_up_again(credentials_file: Path) -> None:
    recent = RecentSessions()
    with pytest.raises(UsageError, match="There is no AWS profile more-1"):
        recent.of("more-1").client("lake", None)
    write(credentials_file, "1", "2")
    assert recent.of("more-1").session.get_credentials().access_key == "2"


def test_credentials_that_come_late_are_found() -> None:
    """As on a machine that starts: boto3 keeps that there are none."""
    recent = RecentSessions()
    assert key_of(recent) == "first"
    recent.of(None).session.get_credentials = lambda: None
    assert key_of(recent) == "first"


def test_a_path_with_a_variable_and_an_unknown_home_are_as_for_boto3(
    monkeypatch: pytest.MonkeyPatch, credentials_file: Path
) -> None:
    monkeypatch.setenv("CREDS_DIR", str(credentials_file.parent))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "$CREDS_DIR/credentials")
    recent = RecentSessions()
    assert key_of(recent) == "first"
    write(credentials_file, "rotated key")
    assert key_of(recent) == "rotated key"
    monkeypatch.setenv("AWS_CONFIG_FILE", "~nobody-of-this-name/config")
    assert key_of(recent) == "rotated key"
