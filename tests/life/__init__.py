"""A random life of a table with real Spark (docs/testing/life.md)."""
