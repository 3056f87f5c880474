"""S3 latency and faults between a client and a server on this machine, with a journal.

    with embedded_s3() as server, Proxy(server.endpoint) as proxy:
        proxy.set_faults([{"do": "lost", "op": "CompleteMultipartUpload", "nth": 1}])
        ...                                   # work through proxy.endpoint
        assert proxy.counts()["CompleteMultipartUpload"] == 2

The proxy forwards the signed bytes as they are. By hand: `python -m repave_lab.proxy --help`.
"""

from repave_lab.proxy.child import Proxy
from repave_lab.proxy.faults import Fault
from repave_lab.proxy.journal import Entry
from repave_lab.proxy.latency import LatencyModel, load_model

__all__ = ["Entry", "Fault", "LatencyModel", "Proxy", "load_model"]
