"""The server: who is answered, with which headers, and what is never served."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
import warnings

import pytest

pytest.importorskip("starlette", reason="the studio needs its extra")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # which of two packages the client is made with is no matter
    client_of = pytest.importorskip("starlette.testclient", exc_type=(ImportError, RuntimeError))

from waiting import PATIENCE, ending, in_background

from rosenblatt.studio import Session, server
from rosenblatt.studio.pages import BOOT, WEB, files, joined
from rosenblatt.studio.server import MAX_BYTES, application, listen

TestClient = client_of.TestClient
PORT = 8123
OWN = f"http://127.0.0.1:{PORT}"
SIX = {"data": {"preset": "six"}}


@pytest.fixture
def client():
    return TestClient(application(Session(), port=PORT), base_url=OWN)


def test_questions_are_answered_in_json(client):
    answer = client.post("/api/run", json=SIX)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == json.loads(json.dumps(Session().ask("run", SIX)))
    assert client.post("/api/start", json={}).json()["state"]["data"] == {"preset": "six"}


def test_a_question_that_cannot_be_answered_is_one_sentence(client):
    answer = client.post("/api/run", json={"epochs": -1})
    assert answer.status_code == 400
    assert answer.json()["error"] == {
        "message": "epochs is -1: give a whole number from 1 to 10,000.",
        "what": "epochs is -1",
        "where": "epochs",
        "found": -1,
        "allowed": "a whole number from 1 to 10,000",
    }
    assert client.post("/api/nothing", json={}).status_code == 400


@pytest.mark.parametrize(
    "body", [b"", b"{", b'{"epochs": NaN}', b'{"epochs": 1e999}', b"[" * 100_000, b"\xff\xfe"]
)
def test_what_is_no_json_is_refused(client, body):
    answer = client.post("/api/run", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"].startswith(("The question is no JSON", "epochs is"))


def test_the_page_and_its_files_are_served_with_their_types(client):
    assert client.get("/").text == (WEB / "index.html").read_text("utf-8")
    for name, path in files().items():
        answer = client.get(f"/{name}")
        # What starts the page comes with all that it imports.
        whole = joined().encode() if name == BOOT else path.read_bytes()
        assert answer.content == whole
        kind = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}[path.suffix]
        assert answer.headers["content-type"].startswith(kind)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 200),
        ("GET", "/nothing.js", 404),
        ("POST", "/api/run", 400),
        ("GET", "/api/run", 405),
    ],
)
def test_every_answer_has_the_headers_that_keep_the_page_to_itself(client, method, path, status):
    answer = client.request(method, path, json={"v": 2} if method == "POST" else None)
    assert answer.status_code == status
    policy = answer.headers["content-security-policy"]
    for part in ("default-src 'none'", "script-src 'self'", "style-src 'self'",
                 "connect-src 'self'", "base-uri 'none'", "form-action 'none'",
                 "frame-ancestors 'none'", "img-src 'self' data: blob:"):  # fmt: skip
        assert part in policy.split("; ")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "access-control-allow-origin" not in answer.headers


def test_what_other_sites_send_is_refused(client):
    answer = client.post("/api/run", json=SIX, headers={"origin": "https://example.org"})
    assert answer.status_code == 403
    assert answer.json() == {"error": {"message": "Only pages of this server may send requests."}}


def test_its_own_page_may_ask_by_each_of_its_names():
    for host in (f"127.0.0.1:{PORT}", f"localhost:{PORT}", f"[::1]:{PORT}"):
        own = f"http://{host}"
        client = TestClient(application(Session(), port=PORT), base_url=own)
        headers = {"origin": own, "sec-fetch-site": "same-origin"}
        assert client.post("/api/run", json=SIX, headers=headers).status_code == 200


@pytest.mark.parametrize(
    "path",
    ["/../session.py", "/%2e%2e/session.py", "/..%2fsession.py", "/session.py", "/web/main.js",
     "/views", "/views/", "/views/../../session.py", "/views/%2e%2e/%2e%2e/session.py",
     "/.%2e", "/%2fetc%2fpasswd", "/..\\session.py", "/index.html%00.js", "//etc/passwd"],
)  # fmt: skip
def test_nothing_but_the_files_of_the_page_can_be_had(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert "import" not in answer.text


def test_a_long_question_is_refused_before_it_is_read(client):
    answer = client.post(
        "/api/run", content=b"x", headers={
            "content-type": "application/json", "content-length": str(MAX_BYTES + 1),
        },
    )  # fmt: skip
    assert answer.status_code == 413
    assert "at most 8,000,000 bytes" in answer.json()["error"]["message"]

    def drops():
        for _ in range(MAX_BYTES // 100_000 + 1):
            yield b" " * 100_000

    answer = client.post("/api/run", content=drops(), headers={"content-type": "application/json"})
    assert answer.status_code == 413
    assert "at most 8,000,000 bytes" in answer.json()["error"]["message"]


def test_a_fault_is_told_as_one_and_does_not_end_the_server(client, monkeypatch):
    quiet = TestClient(
        application(Session(), port=PORT), base_url=OWN, raise_server_exceptions=False
    )
    monkeypatch.setattr(Session, "ask", lambda *_: 1 / 0)
    answer = quiet.post("/api/run", json=SIX)
    assert answer.status_code == 500
    assert "ZeroDivisionError" in answer.json()["error"]["message"]
    assert quiet.get("/").status_code == 200


def test_a_port_in_use_is_one_sentence():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(OSError, match=f"port {port} of this machine cannot be had"):
            listen(port)


# ---------------------------------------------------------------------- the command

COMMAND = [sys.executable, "-c", "from rosenblatt.cli import main; main()", "studio", "--no-open"]


def studio(*given, **settings):
    return subprocess.Popen(
        [*COMMAND, *given], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings
    )


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is sent as a signal")
def test_the_command_serves_a_file_until_it_is_interrupted(tmp_path):
    path = tmp_path / "trees.csv"
    path.write_text("height,width,kind,age\n1,2,fir,7\n3,4,oak,9\n2,2,fir,1\n?,3,oak,2\n")
    running = studio(str(path), "--x", "width", "--y", "height", "--target", "kind", "--as-is")
    try:
        address = running.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address)
        request = urllib.request.Request(
            f"{address}api/start", b"{}", {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            found = json.load(answer)
        assert found["name"] == "trees.csv"
        assert found["state"]["data"] == {
            "columns": ["width", "height"],
            "rows": [[2, 1, "fir"], [4, 3, "oak"], [2, 2, "fir"]],
        }
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=PATIENCE)
    finally:
        running.kill()
        running.wait()
    assert running.returncode == 130
    assert "trees.csv: width across, height up, classes from kind" in said
    assert 'lack of a value in "height" (line 5)' in said
    assert "Traceback" not in said


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is sent as a signal")
def test_in_the_background_of_a_script_ctrl_c_is_ignored_and_sigterm_ends_the_studio():
    running = subprocess.Popen(
        in_background(COMMAND), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with ending(running):
        address = running.stdout.readline().strip()
        for _ in range(20):
            with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
                assert answer.status == 200
            # Whoever listens to it takes no more connections a moment later.
            running.send_signal(signal.SIGINT)
            time.sleep(0.02)
        running.send_signal(signal.SIGTERM)
        _, said = running.communicate(timeout=PATIENCE)
    assert running.returncode == 143
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        (["--x", "q"], 2, 'no column "q" for x'),
        (["--out", "page.html", "--port", "8000"], 2, "--port has no meaning with --out"),
        (["--port", "70000"], 2, "70000"),
    ],
)
def test_the_command_refuses_what_it_cannot_do(tmp_path, given, code, words):
    path = tmp_path / "trees.csv"
    path.write_text("height,width,kind\n1,2,fir\n3,4,oak\n")
    running = studio(str(path), *given)
    _, said = running.communicate(timeout=PATIENCE)
    assert running.returncode == code
    assert words in said
    assert "Traceback" not in said


def test_the_command_writes_a_page_instead(tmp_path):
    running = studio("--out", str(tmp_path / "six.html"))
    running.communicate(timeout=PATIENCE)
    assert running.returncode == 2  # --no-open has no meaning then
    done = subprocess.run([*COMMAND[:-1], "--out", str(tmp_path / "six.html")], check=True)
    assert done.returncode == 0
    assert 'id="studio-kit"' in (tmp_path / "six.html").read_text("utf-8")


def test_without_its_extra_the_command_says_what_to_install():
    code = (
        "import sys; sys.modules['starlette'] = None; sys.argv[1:] = ['studio', '--no-open']; "
        "from rosenblatt.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 5
    assert "pip install 'rosenblatt[studio]'" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.fixture
def impatient(monkeypatch):
    """The port of a server that waits a fifth of a second."""
    monkeypatch.setattr(server, "PATIENCE", 0.2)
    with listen() as listener:
        listener.listen()
        port = listener.getsockname()[1]
        running = server.server_of(Session(), port=port)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]})
        thread.start()
        yield port
        running.should_exit = True
        thread.join(10)


def received(port, *parts):
    """What comes back for some bytes until the connection is closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        for part in parts:
            connection.sendall(part)
        found = b""
        while some := connection.recv(1 << 16):
            found += some
    return found


def test_half_of_a_request_ends_in_time(impatient):
    head = f"POST /api/run HTTP/1.1\r\nHost: 127.0.0.1:{impatient}\r\n"
    kind = "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
    assert received(impatient) == b""
    assert received(impatient, b"POST /api/run HT") == b""
    assert received(impatient, head.encode()) == b""
    answer = received(impatient, head.encode(), kind.encode())
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"The rest of the request did not come in 0.2 seconds." in answer


def test_a_second_request_over_one_connection_is_waited_for_no_longer(impatient):
    whole = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{impatient}\r\n\r\n".encode()
    answer = received(impatient, whole, whole[:20])
    assert answer.count(b"HTTP/1.1 200 OK") == 1
    assert received(impatient, whole, whole, whole).count(b"HTTP/1.1 200 OK") == 3
