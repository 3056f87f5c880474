"""What boto3 makes of a listing when only its keys are wanted."""

import io
from collections.abc import Callable

import pytest
from botocore import handlers
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import SSLError

from repave._bucket import LAST_CHARACTER, BucketObjects, client, read_only_keys
from repave._errors import RepaveError, UsageError
from repave._location import Location

NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/"
Opened = Callable[["Store"], BucketObjects]
TABLE = Location.of("s3://lake/sales")


class Store:
    """Answers each request with the next text."""

    def __init__(self, *answers: tuple[int, str], **headers: str) -> None:
        self.answers = list(answers)
        self.headers = {"content-type": "application/xml", **headers}
        self.asked: list[str] = []

    def __call__(self, request: AWSPreparedRequest, **_: object) -> AWSResponse:
        self.asked.append(request.url)
        status, text = self.answers.pop(0)
        body = io.BytesIO(text.encode())
        body.stream = lambda **_: iter([body.read()])  # type: ignore[attr-defined]
        return AWSResponse(request.url, status, self.headers, body)  # type: ignore[arg-type]


def page(*keys: str, more: bool) -> tuple[int, str]:
    contents = "".join(
        f"<Contents><Key>sales/{key}</Key><LastModified>no time</LastModified>"
        "<Size>7</Size><Owner><ID>me</ID></Owner></Contents>"
        for key in keys
    )
    flag = str(more).lower()
    text = f"<EncodingType>url</EncodingType><IsTruncated>{flag}</IsTruncated>{contents}"
    return 200, f'<ListBucketResult xmlns="{NAMESPACE}">{text}</ListBucketResult>'


@pytest.fixture
def objects(monkeypatch: pytest.MonkeyPatch) -> Opened:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")

    def of(store: Store) -> BucketObjects:
        s3 = client("http://127.0.0.1:1")
        s3.meta.events.register("before-send.s3", store)
        read_only_keys(s3)
        return BucketObjects(s3)

    return of


def test_keys_lose_their_escapes_and_further_pages_are_asked_for(objects: Opened) -> None:
    store = Store(
        page("a%2525/b+c", "d%3D%C3%A9&amp;", more=True), page("e", more=True), page(more=False)
    )
    found = list(objects(store).keys(TABLE, "_repave/", "", LAST_CHARACTER))
    assert found == ["a%25/b c", "d=é&", "e"]
    assert "start-after=sales%2Fe" in store.asked[-1]


def test_times_and_sizes_of_a_listing_are_not_parsed(objects: Opened) -> None:
    """The times in these pages are none, which boto3 would refuse."""
    store = Store(page("a", more=False))
    assert list(objects(store).keys(TABLE, "_repave/", "", LAST_CHARACTER)) == ["a"]


def test_an_error_is_told_as_before(objects: Opened) -> None:
    store = Store((403, "<Error><Code>AccessDenied</Code><Message>no</Message></Error>"))
    with pytest.raises(RepaveError, match="is denied"):
        list(objects(store).keys(TABLE, "_repave/", "", LAST_CHARACTER))


def test_an_object_that_needs_its_own_key_is_told(objects: Opened) -> None:
    told = "The object was stored using a form of Server Side Encryption. The correct parameters"
    error = f"<Error><Code>InvalidRequest</Code><Message>{told}</Message></Error>"
    with pytest.raises(RepaveError, match=r"\(SSE-C\).* with Spark"):
        objects(Store((400, error))).read(TABLE.under("_repave/head.json"), 10)


def test_a_page_as_s3_writes_it_is_parsed_without_its_contents(
    objects: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bodies that go on to botocore are short; its own search for an error parses them too."""
    parsed: list[int] = []
    name = "_looks_like_special_case_error"
    seen: Callable[[int, bytes], bool] = getattr(handlers, name)

    def count(status: int, body: bytes) -> bool:
        parsed.append(len(body))
        return bool(seen(status, body))

    monkeypatch.setattr(handlers, name, count)
    names = [f"day%3D{number:05}/a+b%25" for number in range(1_000)]
    found = list(
        objects(Store(page(*names, more=False))).keys(TABLE, "_repave/", "", LAST_CHARACTER)
    )
    assert found == [f"day={number:05}/a b%" for number in range(1_000)]
    assert parsed
    assert max(parsed) < 1_000


@pytest.mark.parametrize("odd", ["a%0Ab", "a%0ab", "a&#13;b", "a<!-- -->b", "a&lt;Key>b"])
def test_an_odd_key_does_not_move_the_others(objects: Opened, odd: str) -> None:
    store = Store(page("a", odd, "c", more=False))
    found = list(objects(store).keys(TABLE, "_repave/", "", LAST_CHARACTER))
    assert [found[0], found[2], len(found)] == ["a", "c", 3]
    assert found[1] in ("a\nb", "a\rb", "ab", "a<Key>b")


def test_a_page_that_another_store_writes_is_read_whole(objects: Opened) -> None:
    status, text = page("a", "b", more=False)
    odd = text.replace("</Contents>", "</Contents>\n ").replace("<Key>", "<Size>1</Size><Key>")
    assert odd != text
    store = Store((status, odd))
    assert list(objects(store).keys(TABLE, "_repave/", "", LAST_CHARACTER)) == ["a", "b"]


@pytest.mark.parametrize("encoding", ["<EncodingType>url</EncodingType>", ""])
@pytest.mark.parametrize("odd", ["x\ny", "x\ry", "x\r\ny"])
def test_a_line_break_in_a_key_does_not_move_the_others(
    objects: Opened, odd: str, encoding: str
) -> None:
    """XML reads each kind of line break as a line feed."""
    status, text = page("a", odd, "c", more=False)
    store = Store((status, text.replace("<EncodingType>url</EncodingType>", encoding)))
    found = list(objects(store).keys(TABLE, "_repave/", "", LAST_CHARACTER))
    assert found == ["a", "x\ny", "c"]


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("<Contents><Key>sales/a<", "<Contents a='1'><Key>sales/a<"),
        ("</ListBucketResult>", "<Contents a='1'><Key>sales/c</Key></Contents></ListBucketResult>"),
        ("<Contents><Key>sales/a<", "<!-- x --><Contents><Key>sales/a<"),
    ],
)
def test_no_key_of_a_page_with_another_form_is_lost(
    objects: Opened, written: str, instead: str
) -> None:
    status, text = page("a", "b", more=False)
    store = Store((status, text.replace(written, instead)))
    found = list(objects(store).keys(TABLE, "_repave/", "", LAST_CHARACTER))
    assert found == ["a", "b", "c"][: 3 if "sales/c" in instead else 2]


def test_keys_inside_a_comment_are_none(objects: Opened) -> None:
    status, text = page("a", more=False)
    commented = text.replace("<Contents>", "<!--<Contents>").replace(
        "</Contents>", "</Contents>-->"
    )
    store = Store((status, commented))
    assert list(objects(store).keys(TABLE, "_repave/", "", LAST_CHARACTER)) == []


def test_an_error_with_the_status_of_success_is_no_empty_page(objects: Opened) -> None:
    store = Store(*[(200, "<Error><Code>InternalError</Code><Message>no</Message></Error>")] * 3)
    with pytest.raises(RepaveError):
        list(objects(store).keys(TABLE, "_repave/", "", LAST_CHARACTER))


@pytest.mark.parametrize("status", [200, 301, 403, 404])
def test_a_web_page_is_no_answer_of_a_store(objects: Opened, status: int) -> None:
    """The endpoint may be a store's console, whose pages botocore reads as empty answers."""
    web = "<!DOCTYPE html><html><body>Log in</body></html>"
    told = "http://127.0.0.1:1 answers with a web page"
    with pytest.raises(RepaveError, match=told):
        objects(Store((status, web))).read(TABLE, 1000)
    with pytest.raises(RepaveError, match=told):
        list(objects(Store((status, web))).listed(TABLE))


@pytest.mark.parametrize("status", [301, 302, 307])
@pytest.mark.parametrize("text", ["", "<Error><Code>PermanentRedirect</Code></Error>"])
def test_an_endpoint_that_redirects_everything_is_told(
    objects: Opened, status: int, text: str
) -> None:
    """boto3 then asks for the bucket's region, is redirected, and asks again without end."""
    store = Store(*[(status, text), (status, "")] * 9, location="https://store/lake")
    with pytest.raises(
        RepaveError, match=r"^http://127\.0\.0\.1:1 redirects to https://store/lake"
    ):
        objects(store).read(TABLE, 1000)
    assert len(store.asked) == 2


@pytest.mark.parametrize("status", [408, 425, 429, 503])
@pytest.mark.parametrize("body", ["<html><h1>Busy</h1></html>", "busy", ""])
def test_a_temporary_failure_of_a_proxy_is_repeated(
    objects: Opened, status: int, body: str
) -> None:
    store = Store((status, body), (200, "content"))
    assert objects(store).read(TABLE, 1000) == b"content"


def test_a_proxy_that_stays_busy_is_to_be_asked_again(objects: Opened) -> None:
    store = Store(*[(429, "<html><h1>Too Many Requests</h1></html>")] * 3)
    with pytest.raises(RepaveError, match=r"SlowDown\. To fix this, run it again later"):
        objects(store).read(TABLE, 1000)


def test_a_store_that_stays_down_is_to_be_asked_again(objects: Opened) -> None:
    store = Store(*[(503, "<html><h1>503</h1></html>")] * 3)
    with pytest.raises(RepaveError, match=r"503\. To fix this, run it again later"):
        objects(store).read(TABLE, 1000)


def test_a_name_that_no_bucket_has_is_told_in_one_sentence() -> None:
    opened = BucketObjects(client("http://127.0.0.1:1"))
    with pytest.raises(UsageError, match=r"^s3://lake!/sales cannot be a place") as refused:
        opened.read(Location.of("s3://lake!/sales"), 1000)
    assert "\n" not in str(refused.value)


def test_an_endpoint_without_tls_is_not_to_be_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")

    def fail(**_: object) -> None:
        why = OSError("wrong version number")
        raise SSLError(endpoint_url="https://127.0.0.1:1", error=why)

    s3 = client("https://127.0.0.1:1")
    s3.meta.events.register("before-send.s3", fail)
    with pytest.raises(RepaveError, match="Check --endpoint-url"):
        BucketObjects(s3).read(TABLE, 1000)
