"""A table, as seen from a Spark session."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from repave._adoption import Adoption
from repave._catalog import SessionCatalog, new_partitions
from repave._costs import Costs, Prices, costs
from repave._display import History, table_html
from repave._drop import PartitionDrop, drop_partitions
from repave._errors import RepaveError, UsageError
from repave._follow import FOLDERS, follow_in_metastore, newest_in, require_catalog, statement_for
from repave._formats import DEFAULT_FORMAT, format_of
from repave._glue_follower import glue_follower, sync_all
from repave._jvm import STORE_SCHEME, Gateway, Jvm
from repave._location import Location
from repave._options import option
from repave._order_report import OrderReport, verify_order
from repave._read import NEWEST
from repave._records import (
    DataFile,
    Followers,
    HistoryEntry,
    Manifest,
    Recovery,
    Repair,
    Rollback,
    Status,
    Vacuum,
    live_files,
)
from repave._registration import register
from repave._report.markup import element, text
from repave._snapshot.publication import millis, moment
from repave._versions import in_store, number_of, refuse_absent

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SHOWN = 5


class RepaveTable:
    """A table that Repave writes; whatever changes it runs in the session's JVM.

    After a first write of three days and an overwrite of one:

    >>> t = RepaveTable.for_path(spark, "s3a://lake/sales")
    >>> t.status().version, t.status().active
    (2, ())
    >>> [(one.version, one.kind, one.files_in, one.files_out) for one in t.history()]
    [(2, 'dynamic', 1, 1), (1, 'append', 3, 0)]
    >>> [one.partition for one in t.manifest(version=1).partitions]
    ['day=1', 'day=2', 'day=3']
    >>> len(t.files())
    3
    >>> t.recover().commits
    ()
    >>> t.vacuum(dry_run=True).uploads
    0
    >>> t.to_df().count()
    6
    """

    def __init__(self, spark: "SparkSession", location: Location, gateway: Gateway) -> None:
        """Use `for_path`."""
        self._spark = spark
        self._location = location
        self._gateway = gateway

    @classmethod
    def for_path(cls, spark: "SparkSession", path: str) -> "RepaveTable":
        """Open the table at a path such as `s3a://lake/sales` or `repave://lake/sales`.

        Raises:
            UsageError: the path is not on S3, or the session does not have Repave.
        """
        jvm = Jvm(spark)
        location = in_store(Location.of(path), jvm.conf(STORE_SCHEME) or "s3a")
        return cls(spark, location, jvm.gateway(str(location)))

    @property
    def path(self) -> str:
        """The table's URI."""
        return str(self._location)

    def status(self) -> Status:
        """Return the table's version and the commits that are not finished."""
        return Status.of(self._gateway.ask("status"))

    def history(self, limit: int | None = None) -> History:
        """Return the unfinished commits, oldest first, then the others, newest first.

        Args:
            limit: return no more than these, and read no more than that takes; all by default.
        """
        if limit is not None and (type(limit) is not int or limit < 1):
            message = f"limit={limit!r} is not possible: it takes a number from 1."
            raise UsageError(message)
        wanted = () if limit is None else (limit,)
        return History(map(HistoryEntry.of, self._gateway.ask("history", *wanted)))

    def version_at(self, as_of: datetime | str) -> int:
        """Return the newest version that was published at or before a moment.

        Args:
            as_of: a datetime, or text such as "2026-11-20T03:00Z"; UTC if it names no time zone.

        Raises:
            UsageError: there was no version yet, or the records do not name it any more.
        """
        return int(self._gateway.ask("versionAt", millis(moment(as_of))))

    def manifest(
        self, version: int | None = None, *, as_of: datetime | str | None = None
    ) -> Manifest:
        """Return what a version's commit did, file by file; the newest's by default."""
        wanted = self._wanted(version, as_of)
        return Manifest.of(self._gateway.ask("manifest", _number(wanted)))

    def files(
        self, version: int | None = None, *, as_of: datetime | str | None = None
    ) -> tuple[DataFile, ...]:
        """Return the files of a version as the records know them, the newest by default."""
        wanted = self._wanted(version, as_of)
        return live_files(self._gateway.ask("files", _number(wanted)))

    def _wanted(self, version: int | None, as_of: datetime | str | None) -> int | None:
        if as_of is None:
            return None if version is None else number_of(version)
        if version is not None:
            message = "Pass version= or as_of=, not both."
            raise UsageError(message)
        return self.version_at(as_of)

    def recover(self, *, tables: str | Iterable[str] | None = None) -> Recovery:
        """Finish the commits of dead drivers, and add their partitions to the catalog.

        Safe at any time and next to any writer. A driver that died after it published a commit did
        not add the new partitions to the catalog. This call adds those of the commits that it
        finished or, if there was nothing to finish, of the newest commit.

        Args:
            tables: the names of the catalog's tables at this path. By default the current database
                is searched, the first 500 names of it. With `()` no partition is added. A table
                that follows gets its partition locations updated in any case.

        Raises:
            UsageError: one of the names is not a table at this path; nothing was done.
        """
        catalog = SessionCatalog(self._spark, self._location)
        some = (tables,) if isinstance(tables, str) else tables
        named = None if some is None else catalog.named(some)
        found = Recovery.of(self._gateway.ask("recover"))
        if named == ():
            return found
        folders, unknown = new_partitions(found, self._gateway.ask)
        updates, notes = catalog.add(folders, named, self._gateway.ask)
        return replace(found, catalog=updates, notes=tuple(dict.fromkeys((*unknown, *notes))))

    def vacuum(self, *, dry_run: bool = False, retention: timedelta | str | None = None) -> Vacuum:
        """Remove files that no version within the retention needs, and orphaned uploads.

        Args:
            dry_run: only report what would be removed.
            retention: a timedelta or text such as "7d"; by default the option `retention`.
        """
        kept = option("retention")
        millis = -1 if retention is None else kept.millis_of(retention)
        return Vacuum.of(self._gateway.ask("vacuum", dry_run, millis))

    def rollback(
        self, version: int | None = None, *, as_of: datetime | str | None = None
    ) -> Rollback:
        """Publish an earlier version's files again, as a new version (snapshot tables).

        Args:
            version: the version to return to; or
            as_of: a moment: the version that was the newest then. UTC if it names no time zone.
        """
        wanted = self._wanted(version, as_of)
        if wanted is None:
            message = "Pass version= or as_of= to name the version to restore."
            raise UsageError(message)
        return Rollback.of(self._gateway.ask("rollback", wanted))

    def adopt(self, *, dry_run: bool = False) -> Adoption:
        """Record the files that are in the table, as a new version.

        For a table that existed before Repave, and after a catalog's `TRUNCATE` or
        `DROP PARTITION` has deleted files.

        Args:
            dry_run: only report what would be recorded.
        """
        return Adoption.of(self._gateway.ask("adopt", dry_run))

    def drop_partitions(
        self, *partitions: str, before: str | None = None, dry_run: bool = False
    ) -> PartitionDrop:
        """Drop whole partitions, as a new version.

            table.drop_partitions("dt=2025-01-01", "dt=2025-01-02/country=de")
            table.drop_partitions(before="dt=2025-01-01")

        On a snapshot table `rollback` restores the rows until vacuum deletes the files. On a
        listing table the files are deleted at once.

        Args:
            partitions: names of folders; a name means all folders inside it too.
            before: all whose value of a column is before this one. Whole numbers compare as
                numbers, all other values as text. A partition of nulls stays.
            dry_run: only report what would be dropped.
        """
        return drop_partitions(self._gateway.ask, partitions, before, dry_run=dry_run)

    def follow(
        self, follower: str = "delta", *, catalog: str = "metastore", rebuild: bool = False
    ) -> Followers:
        """Keep readers that do not know Repave at the version of the table, from now on.

        With "delta", a Delta log in the table's folder; with "symlink", lists of files, which
        engines with Hive's `SymlinkTextInputFormat` read. A table whose readers list folders first
        adopts the files in its folders.

        With the name of a table, such as "lake.sales", that table of the session's Hive metastore.
        The location of each partition is then the folder of its newest rows, and all locations that
        a commit changes are altered in one transaction. The table is created if it is absent. Every
        session of this metastore updates it after its own commits; `sync` after all others. Only a
        snapshot table can be followed so, and an append to a partition with rows is refused.

        With `catalog="glue"` it is a table of the Glue Data Catalog, with the credentials that
        boto3 finds. No commit updates it: call `sync`, or run `repave sync`, after each.

        A table follows in one metastore, and in one account and region of Glue. With `rebuild`, a
        table that was dropped is created again, or this one follows instead of another one.
        """
        spark, ask = self._spark, self._gateway.ask
        newest = partial(newest_in, ask)
        if require_catalog(catalog, follower, rebuild=rebuild) == "glue":
            glue = glue_follower(follower, self._location, ask)
            return Followers.of(glue.begin(self.files, newest, rebuild=rebuild))
        if follower in FOLDERS:
            return Followers.of(ask("follow", follower))
        create = partial(
            statement_for, spark, follower, self.path, self.files, self._newest, newest
        )
        return Followers.of(
            follow_in_metastore(spark, follower, self._location, ask, create, rebuild=rebuild)
        )

    def unfollow(self, follower: str = "delta") -> Followers:
        """Stop bringing a follower to the table's version, and delete its files.

        With "metastore" or "glue", the catalog's table that follows is left as it is, at its
        version. Vacuum will remove files that it names, so drop it if it is external: `DROP TABLE`
        of a managed table deletes the files of this table.
        """
        return Followers.of(self._gateway.ask("unfollow", follower))

    def sync(self) -> Followers:
        """Bring all followers to the newest version, after one could not follow a commit.

        A follower in a Hive metastore needs a session with that metastore, such as this one.
        """
        return Followers.of(sync_all(self._location, self._gateway.ask))

    def repair(self) -> Repair:
        """Rebuild the records from the files in the table. No row changes.

        For a table whose readers list folders and that has lost records of its history, by a
        lifecycle rule for example. `adopt` names this call when it is needed.
        """
        return Repair.of(self._gateway.ask("repair"))

    def cancel(self, commit: str) -> Recovery:
        """Revert an unfinished commit that `recover` cannot finish.

        Possible if the commit has no manifest yet, or if its ledger or manifest is lost. None of
        the files that it was to replace is deleted. A published commit that no record describes is
        ended (outcome `ended`): its rows stay next to old ones, until its job has run again.

        Args:
            commit: as `status` shows it.
        """
        return Recovery.of(self._gateway.ask("cancel", commit))

    def to_df(
        self,
        version: int | None = None,
        *,
        as_of: datetime | str | None = None,
        format: str | None = None,  # noqa: A002 - Spark's own word
    ) -> "DataFrame":
        """Read the table, or one of its versions while its files are kept.

        A table whose readers list folders is read like any folder; its earlier versions
        cannot be read after they were replaced.

        Args:
            version: the newest by default.
            as_of: the version that was the newest at this moment; UTC if it names no time zone.
            format: the files' format, as `spark.read.format` calls it; by default what the names
                of the files say.

        Raises:
            UsageError: there is no such version, or the files' names do not show one format.
        """
        version = self._wanted(version, as_of)
        status = self.status()
        if version is not None:
            refuse_absent(version, status)
        source = format or self._format(status)
        if status.readers != "snapshot":
            return self._read(self.path, source)
        newest = self._location.with_scheme("repave")
        # The newest by its number too: a commit may come before Spark reads.
        return self._read(str(newest.under(f"@v{version}") if version else newest), source)

    def register(self, name: str, *, format: str | None = None) -> None:  # noqa: A002 - Spark's own word
        """Make a snapshot table known to the session's catalog, with its partitions of today.

        Run it again when commits have added or emptied partitions. New rows of known partitions
        are seen without it. On Spark 4 a query sees one version of the table; on 3.5 it may see
        another in each partition, and needs `REFRESH TABLE` for those that it has listed before.
        The columns are those of the first call.

            table.register("lake.sales")

        Args:
            name: the table's name, as SQL writes it.
            format: the files' format, as `spark.read.format` calls it; by default what the names
                of the files say.

        Raises:
            UsageError: the table is read by listing, so plain SQL registers it; or it is empty;
                or the name is taken.
        """
        register(self._spark, name, self._location, self._gateway.ask, format, self._read)

    def costs(
        self,
        since: datetime | timedelta | str | None = None,
        *,
        prices: Prices | None = None,
        profile: str | None = None,
        endpoint_url: str | None = None,
    ) -> Costs:
        """Return what the table's jobs cost. boto3 reads the records, as `repave.costs` does."""
        return costs(
            str(self._location), since, prices=prices, profile=profile, endpoint_url=endpoint_url
        )

    def verify_order(
        self,
        order: str | Sequence[str] | None = None,
        *,
        prove: bool = False,
        profile: str | None = None,
        endpoint_url: str | None = None,
    ) -> OrderReport:
        """Return whether the files are in an order. boto3 reads, as in `repave.verify_order`."""
        return verify_order(
            str(self._location), order, prove=prove, profile=profile, endpoint_url=endpoint_url
        )

    def _format(self, status: Status) -> str:
        if not status.version:
            return DEFAULT_FORMAT  # not Repave's yet, so nothing names its files
        # Usually the newest version is enough; naming all files of a large table takes longer.
        newest = Manifest.of(self._gateway.ask("manifest", status.version))
        added = [file for change in newest.partitions for file in change.added]
        return format_of(added or self.files(), self.path)

    def _newest(self, source: str) -> "DataFrame":
        return self.to_df(format=source)

    def _read(self, path: str, source: str) -> "DataFrame":
        return self._spark.read.format(source).load(path)

    def __repr__(self) -> str:
        """Return the call that opens it."""
        return f"RepaveTable.for_path(spark, {self.path!r})"

    def _repr_html_(self) -> str:
        # A cell that shows a table must not fail because the store does not answer.
        try:
            status = self.status()
            return table_html(self.path, status, self.history(SHOWN) if status.known else ())
        except RepaveError as error:
            return element("p", text(f"{self!r}: {error}"))


def _number(version: int | None) -> int:
    return NEWEST if version is None else version
