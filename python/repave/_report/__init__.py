"""One page about a table: its commits, partitions, costs, storage and unfinished commits."""
