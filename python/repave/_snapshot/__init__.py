"""Reads one version of a table without Spark or a JVM; docs/readers.md shows how."""
