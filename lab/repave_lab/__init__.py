"""What tests, demo and benchmark share: embedded S3 servers and a fault proxy.

It is installed from a clone and is in no wheel. `repave_lab.servers` starts an S3 server on this
machine, `repave_lab.proxy` puts S3-like latency and faults in front of it, `repave_lab.probe`
checks that a server still answers as its `Dialect` says.
"""
