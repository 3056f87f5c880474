"""The demo: a nightly overwrite on a local S3 server, a driver killed in it, the recovery."""
