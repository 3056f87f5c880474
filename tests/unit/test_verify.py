"""What `verify_session` finds, and the line that fixes it."""

from typing import Any, cast

import pytest

from repave import RepaveTable, SessionReport, UsageError, verify_session
from repave._conf import (
    FIXED,
    PLUGIN,
    PLUGINS_KEY,
    PROTOCOL,
    PROTOCOL_KEY,
    RDD_SAVES,
    extensions_conf,
)
from repave._jvm import GATEWAY
from repave._verify import FILE_SYSTEM_KEY, OVERWRITE_MODE, STOCK_CLASS
from unit.fake_spark import JARS, S3A, SDK_ONE, SDK_TWO, FakeJavaError, FakeSpark


def verify(spark: FakeSpark, path: str | None = None) -> SessionReport:
    return verify_session(cast("Any", spark), path)


def without(*classes: str) -> dict[str, str]:
    return {name: jar for name, jar in JARS.items() if name not in classes}


def only_problem(report: SessionReport) -> tuple[str, str]:
    problems = [finding for finding in report.findings if finding.level == "problem"]
    assert [problem.text for problem in problems[1:]] == []
    assert not report.ok
    return problems[0].text, problems[0].fix


def test_a_right_session_is_ok() -> None:
    report = verify(FakeSpark())
    assert report.ok, str(report)
    assert report.protocols == {"s3a": "Repave", "file": "Spark's own"}
    assert report.versions["connector"] == report.versions["hadoop"] == "3.5.0"
    assert "Repave will commit writes to S3." in str(report)


def test_rdd_saves_are_named_and_a_missing_plugin_is_warned_of() -> None:
    told = "RDD saves are committed by Repave, too."
    assert told not in str(verify(FakeSpark()))
    on = verify(FakeSpark(conf={**FIXED, **RDD_SAVES, PLUGINS_KEY: f"x,{PLUGIN}"}))
    assert told in str(on)
    assert not [finding for finding in on.findings if "spark.plugins" in finding.text]
    without_plugin = verify(FakeSpark(conf={**FIXED, **RDD_SAVES}))
    (found,) = [one for one in without_plugin.findings if "spark.plugins" in one.text]
    assert (found.level, "rdd_saves=True" in found.fix) == ("warning", True)


def test_a_factory_for_all_paths_that_hides_the_one_for_rdd_saves_is_a_problem() -> None:
    key = "spark.hadoop.mapreduce.outputcommitter.factory.class"
    saves = {**FIXED, **RDD_SAVES, PLUGINS_KEY: PLUGIN}
    report = verify(FakeSpark(conf={**saves, key: "com.example.Factory"}))
    text, fix = only_problem(report)
    assert text.startswith(f"{key} is com.example.Factory, so ")
    assert fix.startswith(f"remove {key}")
    assert "RDD saves are committed by Repave" not in str(report)
    assert verify(FakeSpark(conf={**FIXED, key: "com.example.Factory"})).ok


@pytest.mark.parametrize(
    ("scheme", "own", "paths"),
    [
        ("cos", {"repave.schemes": "s3a,cos", "fs.cos.impl": S3A}, "cos:// paths"),
        ("s3n", {"fs.s3n.impl": S3A}, "s3n:// paths"),
        ("null", {"fs.defaultFS": "s3a://lake"}, "paths without a scheme, which are on s3a://lake"),
    ],
)
def test_managed_paths_whose_rdd_saves_are_hadoops_are_a_problem(
    scheme: str, own: dict[str, str], paths: str
) -> None:
    saves = {**FIXED, **RDD_SAVES, **{f"spark.hadoop.{key}": value for key, value in own.items()}}
    key = f"spark.hadoop.mapreduce.outputcommitter.factory.scheme.{scheme}"
    factory = "io.repave.hadoop.mapreduce.RepaveCommitterFactory"
    assert verify(FakeSpark(conf={**saves, key: factory})).ok
    of_all = "spark.hadoop.mapreduce.outputcommitter.factory.class"
    assert verify(FakeSpark(conf={**saves, key: "", of_all: factory})).ok
    report = verify(FakeSpark(conf={**saves, key: ""}))
    text, fix = only_problem(report)
    assert text.startswith(f"{key} is not set, so ")
    assert text.endswith(f"such as saveAsNewAPIHadoopFile, to {paths}.")
    assert fix == f"start the session with {key}={factory}"
    assert "RDD saves are committed by Repave" not in str(report)


def test_rdd_saves_without_scheme_to_local_files_need_no_factory() -> None:
    saves = {**FIXED, **RDD_SAVES, "spark.hadoop.fs.defaultFS": "file:///"}
    key = "spark.hadoop.mapreduce.outputcommitter.factory.scheme.null"
    assert verify(FakeSpark(conf={**saves, key: ""})).ok


def test_a_purge_of_uploads_by_the_connector_is_a_warning() -> None:
    key = "spark.hadoop.fs.s3a.multipart.purge"
    report = verify(FakeSpark(conf={**FIXED, key: "true"}))
    assert report.ok
    (told,) = [one for one in report.findings if one.level == "warning"]
    assert told.text.startswith(f"{key} is true: ")
    assert "fs.s3a.multipart.purge.age" in told.fix
    off = verify(FakeSpark(conf={**FIXED, key: "false"}))
    assert not [one for one in off.findings if one.level == "warning"]


def test_a_notebook_shows_the_report_as_html() -> None:
    html = verify(FakeSpark(conf={**FIXED, PROTOCOL_KEY: "<script>"}))._repr_html_()
    assert "<b>Repave will NOT work here.</b>" in html
    assert "problem" in html
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "3.5.0" in html


def test_another_protocol_is_named_with_the_line_that_mends_it() -> None:
    report = verify(FakeSpark(conf={**FIXED, PROTOCOL_KEY: "com.example.Other"}))
    text, fix = only_problem(report)
    assert "is com.example.Other" in text
    switch = f'spark.conf.set("{PROTOCOL_KEY}", "{PROTOCOL}")'
    # It stays the protocol of all other paths.
    assert fix == f'{switch}; spark.conf.set("repave.fallback.protocol", "com.example.Other")'
    assert report.protocols["s3a"] == "com.example.Other"
    for conf in ({}, {PROTOCOL_KEY: STOCK_CLASS}):
        assert (
            only_problem(verify(FakeSpark(conf={FILE_SYSTEM_KEY: FIXED[FILE_SYSTEM_KEY], **conf})))[
                1
            ]
            == switch
        )
    named = {"spark.hadoop.repave.fallback.protocol": "com.example.Own"}
    other = {**FIXED, PROTOCOL_KEY: "com.example.Other", **named}
    assert only_problem(verify(FakeSpark(conf=other)))[1] == switch


def test_a_missing_jar_is_named_in_one_sentence() -> None:
    report = verify(FakeSpark(jars=without(PROTOCOL)))
    assert report.protocols["s3a"] == "none: the jar is missing"
    text, fix = only_problem(report)
    assert text == "The jar is not on the class path."
    assert "configure_session" in fix


def test_a_spark_that_is_too_old_is_a_problem() -> None:
    spark = FakeSpark()
    spark.version = "3.4.4"
    text, fix = only_problem(verify(spark))
    assert text == "This is Spark 3.4.4, and Repave needs Spark 3.5 or later."
    assert "newer Spark" in fix


def test_a_jar_of_another_version_is_a_problem() -> None:
    text, _ = only_problem(verify(FakeSpark(jar_version="0.0.1")))
    assert text.startswith("The jar is 0.0.1, the Python package ")


def test_a_missing_connector_is_a_problem() -> None:
    text, fix = only_problem(verify(FakeSpark(jars=without(S3A))))
    assert text == "There is no S3A connector (hadoop-aws)."
    assert 'connector="packages"' in fix


def test_a_connector_that_the_jar_cannot_load_is_a_problem() -> None:
    spark = FakeSpark()
    spark.unseen_by_jar = (S3A,)
    text, fix = only_problem(verify(spark, "s3a://lake/sales"))
    assert text.startswith("The jar cannot load hadoop-aws")
    assert "spark.jars" in fix
    assert spark.opened == []


def test_a_connector_of_another_hadoop_is_a_problem() -> None:
    text, _ = only_problem(verify(FakeSpark(jars={**JARS, S3A: "hadoop-aws-3.4.1.jar"})))
    assert text.startswith("hadoop-aws is 3.4.1, Hadoop is 3.5.0")


def test_a_missing_sdk_is_a_problem() -> None:
    text, _ = only_problem(verify(FakeSpark(jars=without(SDK_TWO))))
    assert text == "The AWS SDK of hadoop-aws is missing."


def test_an_old_hadoop_needs_the_old_sdk() -> None:
    old = {**JARS, S3A: "hadoop-aws-3.3.4.jar"}
    assert not verify(FakeSpark(jars=old, hadoop="3.3.4")).ok
    assert verify(FakeSpark(jars={**old, SDK_ONE: "aws-java-sdk-s3.jar"}, hadoop="3.3.4")).ok


def test_a_vendors_connector_is_a_warning() -> None:
    report = verify(FakeSpark(jars={**JARS, S3A: "vendor-s3.jar"}))
    assert report.ok
    assert [finding.level for finding in report.findings] == ["ok", "warning", "ok"]


@pytest.mark.parametrize("version", ["1.8", "11"])
def test_an_older_java_is_named_instead_of_a_missing_jar(version: str) -> None:
    spark = FakeSpark(jars=without(PROTOCOL, GATEWAY))
    spark.java = version
    text, fix = only_problem(verify(spark))
    assert text == f"Spark runs on Java {version}, and Repave needs 17 or later."
    assert fix.startswith("install Java 17")
    with pytest.raises(UsageError, match=f"runs on Java {version}.*install Java 17"):
        RepaveTable.for_path(cast("Any", spark), "s3a://lake/sales")


@pytest.mark.parametrize(("mode", "replaced"), [("dynamic", "partitions"), ("STATIC", "whole")])
def test_what_an_overwrite_replaces_is_told(mode: str, replaced: str) -> None:
    report = verify(FakeSpark(conf={**FIXED, OVERWRITE_MODE: mode}))
    (told,) = [one.text for one in report.findings if "overwrite" in one.text]
    assert replaced in told


def test_a_committer_that_is_not_used_is_a_warning() -> None:
    key = "spark.hadoop.fs.s3a.committer.name"
    report = verify(FakeSpark(conf={**FIXED, key: "magic"}))
    assert report.ok
    (told,) = [one for one in report.findings if one.level == "warning"]
    assert told.text.startswith(f"{key} is magic: DataFrames and SQL do not use it")
    assert not [
        one
        for one in verify(FakeSpark(conf={**FIXED, key: "file"})).findings
        if one.level == "warning"
    ]


def test_a_missing_file_system_is_a_problem() -> None:
    text, _ = only_problem(verify(FakeSpark(conf={PROTOCOL_KEY: PROTOCOL})))
    assert text == "spark.hadoop.fs.repave.impl is not set."


def test_a_session_of_spark_3_without_the_extensions_is_told() -> None:
    for conf, told in ((FIXED, True), ({**FIXED, **extensions_conf({})}, False)):
        spark = FakeSpark(conf=conf)
        spark.version = "3.5.7"
        found = [one for one in verify(spark).findings if "spark.sql.extensions" in one.text]
        assert [one.level for one in found] == (["warning"] if told else [])
        # `repave conf` would leave the extensions out again.
        assert all("repave submit" in one.fix and "repave conf" not in one.fix for one in found)


def test_a_store_without_conditional_writes_is_a_problem() -> None:
    probe = {"conditional-writes": False, "reason": "it ignored If-None-Match."}
    text, fix = only_problem(verify(FakeSpark({"status": {}, "probe": probe}), "s3a://lake/sales"))
    assert "does not support conditional writes: it ignored If-None-Match." in text
    assert "single_writer=True" in fix


def test_a_store_that_keeps_its_promises_is_ok() -> None:
    spark = FakeSpark({"status": {}, "probe": {"conditional-writes": True, "reason": ""}})
    assert verify(spark, "s3a://lake/sales").ok
    assert spark.opened == ["s3a://lake/sales"]
    assert spark.opened_with["repave.retry.budget"] == "10s", "nobody waits minutes for a report"


def test_a_refusal_of_the_jar_becomes_a_finding() -> None:
    refused = FakeJavaError("io.repave.core.error.InvalidConfigException", "No bucket lake.")
    text, _ = only_problem(verify(FakeSpark({"status": {}, "probe": refused}), "s3a://lake/sales"))
    assert text == "No bucket lake."


def test_a_store_that_cannot_be_asked_is_not_called_unsafe() -> None:
    gone = FakeJavaError("io.repave.core.store.StoreException", "GET answered 404 NoSuchBucket: no")
    unsafe = {"conditional-writes": False, "reason": "PUT answered 404 NoSuchBucket"}
    report = verify(FakeSpark({"status": gone, "probe": unsafe}), "s3a://lake/sales")
    text, fix = only_problem(report)
    assert text == "GET answered 404 NoSuchBucket: no."
    assert fix == ""


def test_without_a_connector_no_store_is_asked() -> None:
    spark = FakeSpark(jars=without(S3A))
    only_problem(verify(spark, "s3a://lake/sales"))
    assert spark.opened == []
    with pytest.raises(UsageError, match=r"There is no S3A connector.*verify_session"):
        RepaveTable.for_path(cast("Any", spark), "s3a://lake/sales")


def test_a_plain_session_is_told_one_line_that_mends_all_of_ours() -> None:
    report = verify(FakeSpark(conf={}, jars=without(PROTOCOL)))
    fixes = [line for line in str(report).splitlines() if "->" in line]
    assert len(fixes) == 1
    assert "configure_session" in fixes[0]


def test_a_connect_session_is_refused_with_a_sentence() -> None:
    session = type("SparkSession", (), {"__module__": "pyspark.sql.connect.session"})()
    with pytest.raises(UsageError, match="Spark Connect session has no JVM"):
        verify_session(cast("Any", session))


def test_what_is_no_session_is_not_taken_for_one_of_connect() -> None:
    with pytest.raises(UsageError, match="Pass the SparkSession as the first argument: None"):
        verify_session(cast("Any", None))


def test_a_scheme_of_another_connector_is_a_problem() -> None:
    emrfs = "com.amazon.ws.emr.hadoop.fs.EmrFileSystem"
    text, fix = only_problem(verify(FakeSpark(conf={**FIXED, "spark.hadoop.fs.s3.impl": emrfs})))
    assert text == f"s3:// is read and written by {emrfs}, which Repave cannot use."
    assert fix == f"write to s3a://, or set spark.hadoop.fs.s3.impl={S3A}"


def test_a_scheme_that_is_mapped_to_s3a_is_committed_too() -> None:
    report = verify(FakeSpark(conf={**FIXED, "spark.hadoop.fs.s3.impl": S3A}))
    assert report.ok
    assert report.protocols["s3"] == "Repave"


@pytest.mark.parametrize("schemes", ["", "s3a://", "s3a s3"])
@pytest.mark.parametrize("key", ["spark.hadoop.repave.schemes", "spark.repave.schemes"])
def test_a_list_of_schemes_that_manages_nothing_is_a_problem(key: str, schemes: str) -> None:
    report = verify(FakeSpark(conf={**FIXED, key: schemes}))
    text, _ = only_problem(report)
    assert text.startswith("repave.schemes ")


def test_schemes_without_a_file_system_are_a_problem() -> None:
    report = verify(FakeSpark(conf={**FIXED, "spark.hadoop.repave.schemes": "minio, S3"}))
    text, fix = only_problem(report)
    assert text == "There is no file system for minio:// or s3://, so Repave commits no write."
    assert "spark.hadoop.fs.<scheme>.impl" in fix
    upper = verify(FakeSpark(conf={**FIXED, "spark.hadoop.repave.schemes": "S3A"}))
    assert upper.ok
    assert upper.protocols["s3a"] == "Repave"


def test_an_excluded_pattern_is_a_problem() -> None:
    report = verify(FakeSpark(conf={**FIXED, "spark.hadoop.repave.exclude": "s3://raw-*"}))
    text, _ = only_problem(report)
    assert text.startswith("repave.exclude names 's3://raw-*', but it takes no patterns")


def test_what_is_switched_off_excluded_or_left_to_the_site_is_told() -> None:
    own = {**FIXED, "spark.hadoop.repave.fallback.protocol": "com.example.Own"}
    report = verify(FakeSpark(conf={**own, "spark.hadoop.repave.exclude": "s3://raw"}))
    assert report.ok
    assert report.protocols == {"s3a": "Repave", "file": "com.example.Own"}
    assert any("Writes to s3://raw are left" in one.text for one in report.findings)
    for key, value in (("hadoop.", "false"), ("hadoop.", " False "), ("", "FALSE")):
        off = verify(FakeSpark(conf={**own, f"spark.{key}repave.enabled": value}))
        text, fix = only_problem(off)
        assert text == "repave.enabled is false, so Repave does not commit writes."
        assert fix == "remove it"
        assert off.protocols["s3a"] == "com.example.Own"
    plain = verify(FakeSpark(conf={**own, "spark.repave.exclude": "s3://raw"}))
    assert any("Writes to s3://raw are left" in one.text for one in plain.findings)
