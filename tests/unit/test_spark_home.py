"""Which Spark a `spark-submit` on the PATH belongs to."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from repave import UsageError
from repave._spark_home import find_spark


@pytest.fixture(autouse=True)
def _no_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("repave._spark_home.find_spec", lambda _name: None)


def program(file: Path, text: str = "") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{text}", "utf-8")
    file.chmod(0o755)
    return file


def release(folder: Path) -> Path:
    (folder / "jars").mkdir(parents=True)
    program(folder / "bin" / "spark-submit")
    return folder


def import_pyspark(monkeypatch: pytest.MonkeyPatch, package: Path) -> None:
    """Let the module pyspark be importable from a folder."""
    module = SimpleNamespace(origin=str(package / "__init__.py"))
    monkeypatch.setattr("repave._spark_home.find_spec", lambda _name: module)


def pip_scripts(environment: Path) -> dict[str, str]:
    """Put the scripts that pip copies into an environment; return the PATH with them."""
    program(environment / "bin" / "find-spark-home")
    return {"PATH": str(program(environment / "bin" / "spark-submit").parent)}


def test_a_release_is_found_by_its_own_program_and_by_a_link(tmp_path: Path) -> None:
    home = release(tmp_path / "opt" / "spark")
    assert find_spark({"PATH": str(home / "bin")}) == home
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "spark-submit").symlink_to(home / "bin" / "spark-submit")
    assert find_spark({"PATH": str(tmp_path / "bin")}) == home


def test_a_clone_of_spark_is_its_own_home(tmp_path: Path) -> None:
    (tmp_path / "assembly").mkdir()
    assert find_spark({"PATH": str(program(tmp_path / "bin" / "spark-submit").parent)}) == tmp_path


def test_a_script_for_a_spark_elsewhere_asks_for_spark_home(tmp_path: Path) -> None:
    home = release(tmp_path / "usr" / "lib" / "spark")
    start = f'exec {home}/bin/spark-submit "$@"\n'
    wrapper = program(tmp_path / "usr" / "bin" / "spark-submit", start)
    with pytest.raises(UsageError, match=f"^{wrapper} is a script .*: set SPARK_HOME to Spark's"):
        find_spark({"PATH": str(wrapper.parent)})
    for named in ("SPARK_JARS_DIR", "SPARK_CONF_DIR"):
        found = find_spark({"PATH": str(wrapper.parent), named: str(home)})
        assert found == tmp_path / "usr", "it names what the home is needed for"


def test_pips_copy_of_spark_submit_leads_to_its_environments_package(tmp_path: Path) -> None:
    path = pip_scripts(tmp_path)
    home = release(tmp_path / "lib" / "python3.12" / "site-packages" / "pyspark")
    (tmp_path / "lib64").symlink_to("lib")
    assert find_spark(path) == home


def test_pips_copy_without_one_package_asks_for_spark_home(tmp_path: Path) -> None:
    path = pip_scripts(tmp_path)
    with pytest.raises(UsageError, match="set SPARK_HOME"):
        find_spark(path)
    for python in ("python3.11", "python3.12"):
        release(tmp_path / "lib" / python / "site-packages" / "pyspark")
    with pytest.raises(UsageError, match="set SPARK_HOME"):
        find_spark(path)


def test_a_pyspark_with_spark_is_a_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = release(tmp_path / "site-packages" / "pyspark")
    import_pyspark(monkeypatch, package)
    other = release(tmp_path / "opt" / "spark")
    assert find_spark({"PATH": str(other / "bin")}) == package


def test_a_pyspark_of_a_release_leads_to_the_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its folder `python` is on the PYTHONPATH."""
    home = release(tmp_path / "opt" / "spark")
    import_pyspark(monkeypatch, home / "python" / "pyspark")
    assert find_spark({"PATH": ""}) == home


def test_a_pyspark_without_spark_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as pyspark-client, which speaks to a Connect server."""
    import_pyspark(monkeypatch, tmp_path / "site-packages" / "pyspark")
    home = release(tmp_path / "opt" / "spark")
    assert find_spark({"PATH": str(home / "bin")}) == home
    with pytest.raises(UsageError, match=r"Spark was not found.*pyspark-client has no Spark"):
        find_spark({"PATH": ""})
