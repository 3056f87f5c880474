"""The laboratory that tests, demo and benchmark share: embedded S3 servers and a fault proxy.

Nothing in it is needed to write a table. `repave.lab.servers` starts an S3 server on this
machine, `repave.lab.proxy` puts S3-like latency and faults in front of it, `repave.lab.probe`
checks that a server still answers as its `Dialect` says.
"""
