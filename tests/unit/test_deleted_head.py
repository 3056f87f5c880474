"""Commands tell a table whose head was deleted from a folder without records."""

from collections.abc import Iterator

import pytest
from click.testing import CliRunner, Result

from repave.cli import main
from repave_lab.servers import S3Server

pytestmark = pytest.mark.usefixtures("credentials")

TOLD = "s3://lake/sales: There are records in _repave/, but no head.json. Either the table's first"


@pytest.fixture
def headless(server: S3Server) -> Iterator[S3Server]:
    """A server with the records of a commit, and no head."""
    s3 = server.client()
    s3.create_bucket(Bucket="lake")
    key = "sales/_repave/commits/20261120T031500.000Z-x/report.json"
    s3.put_object(Bucket="lake", Key=key, Body=b"{}")
    yield server
    s3.delete_object(Bucket="lake", Key=key)
    s3.delete_bucket(Bucket="lake")


def repave(server: S3Server, command: str, table: str, *words: str) -> Result:
    line = [command, table, "--endpoint-url", server.endpoint, *words]
    return CliRunner().invoke(main, line, catch_exceptions=False)


@pytest.mark.parametrize("command", ["status", "history", "costs"])
def test_a_command_does_not_say_that_the_folder_has_no_records(
    headless: S3Server, command: str
) -> None:
    found = repave(headless, command, "s3://lake/sales")
    assert found.stdout.startswith(TOLD)
    assert found.stdout.endswith('"A deleted head").\n')
    assert found.exit_code == 1
    assert repave(headless, command, "s3://lake/sales", "--json").exit_code == 1
    other = repave(headless, command, "s3://lake/sale")
    assert "the folder has no records in _repave/" in other.stdout


@pytest.mark.parametrize("folder", ["s3://lake/", "s3://lake/sales"])
def test_a_look_at_all_tables_finds_it(headless: S3Server, folder: str) -> None:
    found = repave(headless, "status", folder, "--recursive")
    assert TOLD in found.stdout
    assert found.exit_code == 1
    recovered = repave(headless, "recover", folder, "--all")
    assert TOLD in recovered.stdout
    assert recovered.exit_code == 1
