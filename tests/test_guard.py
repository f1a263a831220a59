"""What a server on this machine refuses, around an application that would answer everything."""

from __future__ import annotations

import asyncio
import json

import pytest

from rosenblatt.guard import HEADERS, Guard

PORT = 8123
OWN = f"http://127.0.0.1:{PORT}"


async def answers_everything(scope, receive, send):
    while (await receive()).get("more_body"):
        pass
    headers = [(b"Content-Security-Policy", b"default-src *"), (b"x-own", b"1")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"{}"})


def sent_to(guard, method="POST", headers=(), kind="http"):
    """The messages that come back for one request."""
    given = {"host": f"127.0.0.1:{PORT}", "content-type": "application/json"} | dict(headers)
    lines = [
        (name.encode(), str(value).encode("latin-1")) for name, value in given.items() if value
    ]
    scope = {"type": kind, "method": method, "path": "/x", "headers": lines}
    messages = []

    async def receive():
        return {"type": f"{kind}.request", "body": b"{}", "more_body": False}

    async def send(message):
        messages.append(message)

    asyncio.run(guard(scope, receive, send))
    return messages


def answer_to(method="POST", headers=(), *, port=PORT):
    start, body = sent_to(Guard(answers_everything, port=port, max_bytes=1000), method, headers)
    return start["status"], json.loads(body["body"])


def test_requests_of_the_own_page_go_through():
    for host in (f"127.0.0.1:{PORT}", f"localhost:{PORT}", f"[::1]:{PORT}"):
        own = {"host": host, "origin": f"http://{host}", "sec-fetch-site": "same-origin"}
        assert answer_to(headers=own) == (200, {})
    assert answer_to("GET", {"content-type": ""}) == (200, {})
    assert answer_to(headers={"host": "localhost"}, port=80) == (200, {})


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://example.org"},
        {"origin": "null"},
        {"origin": f"http://127.0.0.1:{PORT + 1}"},
        {"origin": f"https://127.0.0.1:{PORT}"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"sec-fetch-site": "none"},
        {"origin": OWN, "sec-fetch-site": "cross-site"},
    ],
)
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_what_other_sites_send_is_refused(headers, method):
    status, body = answer_to(method, headers)
    assert status == 403
    assert body == {"error": {"message": "Only pages of this server may send requests."}}


@pytest.mark.parametrize(
    "host",
    [
        "example.org",
        f"example.org:{PORT}",
        "127.0.0.1",
        f"127.0.0.1:{PORT + 1}",
        f"127.0.0.1:{PORT}.example.org",
        "",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_another_name_for_this_machine_is_refused(method, host):
    status, body = answer_to(method, {"host": host})
    assert status == 421
    assert "127.0.0.1 and localhost only" in body["error"]["message"]


def test_a_second_host_does_not_slip_by():
    guard = Guard(answers_everything, port=PORT, max_bytes=1000)
    scope = {
        "type": "http",
        "method": "GET",
        "headers": [(b"host", f"127.0.0.1:{PORT}".encode()), (b"Host", b"example.org")],
    }
    messages = []

    async def send(message):
        messages.append(message)

    asyncio.run(guard(scope, None, send))
    assert messages[0]["status"] == 421


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_only_json_is_read(kind):
    status, body = answer_to(headers={"content-type": kind})
    assert status == 415
    assert "JSON" in body["error"]["message"]
    assert answer_to(headers={"content-type": "application/json; charset=utf-8"})[0] == 200


def test_a_long_request_is_refused_before_it_is_read():
    assert answer_to(headers={"content-length": 1000})[0] == 200
    status, body = answer_to(headers={"content-length": 1001})
    assert status == 413
    assert "at most 1,000 bytes" in body["error"]["message"]


def test_web_sockets_are_refused():
    (message,) = sent_to(Guard(answers_everything, port=PORT, max_bytes=1000), kind="websocket")
    assert message == {"type": "websocket.close", "code": 1008}


@pytest.mark.parametrize("origin", [OWN, "https://example.org"])
def test_every_response_has_the_headers_of_the_guard_and_keeps_its_own(origin):
    guard = Guard(answers_everything, port=PORT, max_bytes=1000)
    start, _ = sent_to(guard, headers={"origin": origin})
    found = [(name.decode().lower(), value.decode()) for name, value in start["headers"]]
    assert dict(found).items() >= HEADERS.items()
    assert len({name for name, _ in found}) == len(found)
    assert ("x-own", "1") in found or origin != OWN


def test_a_service_may_have_headers_of_its_own():
    guard = Guard(
        answers_everything, port=PORT, max_bytes=10, headers={"cache-control": "no-store"}
    )
    start, _ = sent_to(guard)
    assert (b"Content-Security-Policy", b"default-src *") in start["headers"]
    assert (b"cache-control", b"no-store") in start["headers"]
