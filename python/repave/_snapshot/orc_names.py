"""Refuses ORC files whose columns have other names than the table's."""

from typing import Any, Final

import pyarrow as pa
from pyarrow import orc

from repave._errors import UsageError
from repave._snapshot.respelled import TAIL_BYTES, Respelled
from repave._snapshot.spelling import other_spelling

# ruff: noqa: ANN401 - pyarrow has no types

# Hive before 2.0 named columns by their place: _col0, _col1. Spark matches them by place.
PLACE: Final = "_col"


class OrcNames(Respelled):
    """Opens ORC files; pyarrow would read a column with another name as null, without notice."""

    def open_input_file(self, path: str) -> Any:
        """Return the file, if its columns have the table's names."""
        source = self._filesystem.open_input_file(path)
        if source.size() <= TAIL_BYTES:
            # Arrow's own memory, as in `Respelled`.
            source = pa.BufferReader(source.read_buffer())
        its = orc.ORCFile(source).schema
        self._refuse_places(path, its.names)
        self._refuse_spelling(path, its)
        return source

    def _refuse_places(self, path: str, names: list[str]) -> None:
        wanted = next((it for it in self.schema.names if not it.startswith(PLACE)), None)
        if names and wanted is not None and all(it.startswith(PLACE) for it in names):
            message = (
                f"The columns of the file s3://{path} are named by their place, such as "
                f"{names[0]!r}, and the table has {wanted!r}: Hive before 2.0 wrote such ORC "
                "files, and Repave does not match them. Rewrite the file's partition with the "
                "table's names, or read the table with Spark."
            )
            raise UsageError(message)

    def _refuse_spelling(self, path: str, its: Any) -> None:
        names = other_spelling(its, self.schema)
        if names is not None:
            wrong, wanted = names
            message = (
                f"The file s3://{path} has the column {wrong!r}, and the table {wanted!r}: in ORC "
                "files Repave does not match them. Rewrite the file's partition with one spelling, "
                "or read the table with Spark."
            )
            raise UsageError(message)
