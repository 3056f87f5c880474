"""A bucket's lifecycle rules and versioning."""

from collections.abc import Iterator
from typing import Any, Final

from repave._findings import Finding, ok, problem, warning
from repave._location import RECORDS, Location
from repave._store_errors import error_code

DAYS_MIN: Final = 2
NONE: Final = ("NoSuchLifecycleConfiguration", "NoSuchConfiguration")
# What they hold cannot be read until it is restored.
ARCHIVES: Final = ("GLACIER", "DEEP_ARCHIVE")
RULE: Final = "add a rule to the bucket that aborts incomplete multipart uploads after 7 days"


def lifecycle_findings(s3: Any, table: Location) -> Iterator[Finding]:  # noqa: ANN401 - boto3 has no types
    """Yield what the bucket's own rules mean for a table."""
    rules = _rules(s3, table.bucket)
    if rules is None:
        yield warning(
            "The bucket's lifecycle rules may not be read.", "allow s3:GetLifecycleConfiguration"
        )
    else:
        yield _incomplete_uploads(rules, table)
        yield from _expirations(rules, table)
        yield from _archivals(rules, table)
        yield from _by_tags(rules, table)
    yield from _versioning(s3, table, rules or [])


def _rules(s3: Any, bucket: str) -> list[dict[str, Any]] | None:  # noqa: ANN401
    try:
        answer = s3.get_bucket_lifecycle_configuration(Bucket=bucket)
    except s3.exceptions.ClientError as error:
        return [] if error_code(error) in NONE else None
    return [rule for rule in answer.get("Rules", ()) if rule.get("Status") == "Enabled"]


def _incomplete_uploads(rules: list[dict[str, Any]], table: Location) -> Finding:
    aborting = [rule for rule in rules if "AbortIncompleteMultipartUpload" in rule]
    shortest = min((_days(rule) for rule in aborting if _reaches(rule, table)), default=DAYS_MIN)
    if shortest < DAYS_MIN:
        return problem(
            f"A lifecycle rule aborts uploads after {shortest} day: a job that runs longer, or a "
            "commit that is recovered later, loses its files.",
            f"raise DaysAfterInitiation to {DAYS_MIN} days or more, better 7",
        )
    days = [_days(rule) for rule in aborting if _covers(rule, table)]
    if not days:
        return warning("No lifecycle rule aborts uploads that are never finished.", RULE)
    return ok(f"Uploads that are never finished are aborted after {min(days)} days.")


def _expirations(rules: list[dict[str, Any]], table: Location) -> Iterator[Finding]:
    for rule in rules:
        if _expires(rule) and _reaches(rule, table):
            yield problem(
                f"The lifecycle rule {_name(rule)} deletes objects of this table "
                "by age, its records included.",
                "take the table out of the rule, and delete old partitions by a job",
            )


def _archivals(rules: list[dict[str, Any]], table: Location) -> Iterator[Finding]:
    for rule in rules:
        archives = _archives(rule)
        if not archives or not _reaches(rule, table):
            continue
        moves = f"The lifecycle rule {_name(rule)} moves objects of this table to {archives[0]}"
        if _reaches(rule, table.under(RECORDS)):
            yield problem(
                f"{moves}, its records included: without them no command and no job works.",
                "take the table out of the rule, and restore what it has moved",
            )
        else:
            yield warning(
                f"{moves}. What it has moved cannot be read.",
                "take the partitions that are still read out of the rule",
            )


def _by_tags(rules: list[dict[str, Any]], table: Location) -> Iterator[Finding]:
    """Yield the rules for objects with tags. Which data files have them is not known here.

    The settings that give files tags are those of each job. Records have none.
    """
    for rule in rules:
        tags, archives = _tags(rule), _archives(rule)
        if not tags or not (_expires(rule) or archives) or not _meets(_prefix(rule), table):
            continue
        does = "deletes" if _expires(rule) else f"moves to {archives[0]}"
        yield warning(
            f"The lifecycle rule {_name(rule)} {does} objects with the tags {tags}. Data files of "
            "this table that have them, from fs.s3a.object.tags, fs.s3a.object.tag.… or by hand, "
            "can no longer be read then.",
            "take the table out of the rule, or write its files without these tags",
        )


def _expires(rule: dict[str, Any]) -> bool:
    expiration = rule.get("Expiration", {})
    return "Days" in expiration or "Date" in expiration


def _archives(rule: dict[str, Any]) -> list[str]:
    classes = {one.get("StorageClass") for one in rule.get("Transitions", ())}
    return [one for one in ARCHIVES if one in classes]


def _name(rule: dict[str, Any]) -> str:
    return str(rule.get("ID", "(unnamed)"))


def _versioning(s3: Any, table: Location, rules: list[dict[str, Any]]) -> Iterator[Finding]:  # noqa: ANN401
    try:
        state = s3.get_bucket_versioning(Bucket=table.bucket).get("Status")
    except s3.exceptions.ClientError:
        yield warning("Whether the bucket keeps versions may not be read.")
        return
    if state != "Enabled":
        yield ok("The bucket keeps no older versions of objects.")
        return
    if any("NoncurrentVersionExpiration" in rule and _covers(rule, table) for rule in rules):
        yield ok("The bucket keeps older versions of objects, for as long as its rule says.")
        return
    yield warning(
        "The bucket keeps older versions: replaced files stay forever, and so do their costs.",
        "add a lifecycle rule with NoncurrentVersionExpiration",
    )


def _days(rule: dict[str, Any]) -> int:
    return int(rule["AbortIncompleteMultipartUpload"]["DaysAfterInitiation"])


def _covers(rule: dict[str, Any], table: Location) -> bool:
    """Return whether a rule is for all objects of a table, also those without tags."""
    return not _tags(rule) and table.prefix.startswith(_prefix(rule))


def _reaches(rule: dict[str, Any], table: Location) -> bool:
    """Return whether a rule is for all objects in some folders of a table."""
    return not _tags(rule) and _meets(_prefix(rule), table)


def _meets(prefix: str, table: Location) -> bool:
    return prefix.startswith(table.prefix) or table.prefix.startswith(prefix)


def _tags(rule: dict[str, Any]) -> str:
    picks = rule.get("Filter", {})
    inner = picks.get("And", picks)
    tags = [*inner.get("Tags", ()), *([inner["Tag"]] if "Tag" in inner else ())]
    return ", ".join(f"{one['Key']}={one['Value']}" for one in tags)


def _prefix(rule: dict[str, Any]) -> str:
    picks = rule.get("Filter", {})
    inner = picks.get("And", picks)
    return str(inner.get("Prefix", rule.get("Prefix", "")))
