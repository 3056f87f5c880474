"""The benchmark: the same work written by Repave and by its peers, on one modelled store.

`python -m benchmarks --help`. What is measured, and what is not: benchmarks/README.md.
"""
