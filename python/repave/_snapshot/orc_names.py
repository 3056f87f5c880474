"""Refuses ORC files whose columns have another spelling than the table's."""

from typing import Any

import pyarrow as pa
from pyarrow import orc

from repave._errors import UsageError
from repave._snapshot.respelled import TAIL_BYTES, Respelled
from repave._snapshot.spelling import other_spelling

# ruff: noqa: ANN401 - pyarrow has no types


class OrcNames(Respelled):
    """Opens ORC files; pyarrow would read a column in another spelling as null, without notice."""

    def open_input_file(self, path: str) -> Any:
        """Return the file, if its columns have the table's names."""
        source = self._filesystem.open_input_file(path)
        if self._bytes[path] <= TAIL_BYTES:
            source = pa.BufferReader(source.read())
        names = other_spelling(orc.ORCFile(source).schema, self.schema)
        if names is not None:
            wrong, wanted = names
            message = (
                f"The file s3://{path} has the column {wrong!r}, and the table {wanted!r}: in ORC "
                "files Repave does not match them. Rewrite the file's partition with one spelling, "
                "or read the table with Spark."
            )
            raise UsageError(message)
        return source
