"""How pyarrow reads the files that Spark writes, in the formats that it knows."""

from collections.abc import Callable
from typing import Any, Final

from repave._errors import UsageError
from repave._snapshot.extras import library

# ruff: noqa: ANN401 - pyarrow has no types
OpenFile = Callable[[], Any]


def arrow_format(name: str, open_file: OpenFile, extra: str) -> Any:
    """Return pyarrow's format.

    Args:
        name: as `spark.read.format` calls it.
        open_file: opens one of the files, for formats whose columns it has to tell.
        extra: what installs pyarrow.

    Raises:
        UsageError: pyarrow does not read it.
    """
    make = _FORMATS.get(name)
    if make is None:
        message = (
            f"pyarrow does not read files in the format {name}, only {', '.join(_FORMATS)}: read "
            "the files that snapshot.uris() names with another library, or the table with Spark."
        )
        raise UsageError(message)
    return make(library("pyarrow.dataset", extra), open_file, extra)


def _csv(dataset: Any, open_file: OpenFile, extra: str) -> Any:
    """Read CSV as Spark does by default: no header, columns _c0, _c1, …, all of them strings."""
    csv = library("pyarrow.csv", extra)
    pa = library("pyarrow", extra)
    parse = csv.ParseOptions(escape_char="\\", double_quote=True)
    generated = csv.ReadOptions(autogenerate_column_names=True)
    with csv.open_csv(open_file(), read_options=generated, parse_options=parse) as rows:
        names = [f"_c{number}" for number in range(len(rows.schema))]
    return dataset.CsvFileFormat(
        parse_options=parse,
        read_options=csv.ReadOptions(column_names=names),
        convert_options=csv.ConvertOptions(
            column_types={name: pa.string() for name in names},
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )


_FORMATS: Final[dict[str, Callable[[Any, OpenFile, str], Any]]] = {
    "parquet": lambda dataset, _open, _extra: dataset.ParquetFileFormat(),
    "orc": lambda dataset, _open, _extra: dataset.OrcFileFormat(),
    "csv": _csv,
    "json": lambda dataset, _open, _extra: dataset.JsonFileFormat(),
}
