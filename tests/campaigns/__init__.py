"""Measurements with real Spark, run by hand: `make spark-crowd` and `make kills`."""
