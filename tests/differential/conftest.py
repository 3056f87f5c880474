"""The same session and servers as the end-to-end tests."""

from e2e.conftest import lake, ministack, moto_lake, spark

__all__ = ["lake", "ministack", "moto_lake", "spark"]
