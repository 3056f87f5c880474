"""Answers of the proxy's own."""

import json
from html import escape
from http import HTTPStatus

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
REQUEST_ID = "REPAVELAB"


def plain(status: int, content_type: str, body: bytes, *, has_body: bool = True) -> bytes:
    """Return a whole answer; one to HEAD tells the length of a body that it does not have."""
    reason = HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else "Unknown"
    head = (
        f"HTTP/1.1 {status} {reason}\r\n"
        f"content-type: {content_type}\r\n"
        f"content-length: {len(body)}\r\n"
        f"x-amz-request-id: {REQUEST_ID}\r\n"
        f"x-amz-id-2: {REQUEST_ID}\r\n\r\n"
    )
    return head.encode() + (body if has_body else b"")


def s3_error(status: int, code: str, method: str, quoted: str = "") -> bytes:
    """Return an error as S3 words it; its message ends with what it quotes."""
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<Error><Code>{code}</Code><Message>injected by the repave fault proxy{escape(quoted)}"
        "</Message>"
        f"<RequestId>{REQUEST_ID}</RequestId><HostId>{REQUEST_ID}</HostId></Error>"
    )
    return plain(status, "application/xml", body.encode(), has_body=method != "HEAD")


def refusal(sentence: str, status: int = 400) -> bytes:
    """Return what says why a control request or a malformed one cannot be served."""
    return plain(status, "application/json", json.dumps({"error": sentence}).encode())
