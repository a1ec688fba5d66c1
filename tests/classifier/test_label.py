from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from gpucurate.classifier import endpoint, endpoint_pacing
from gpucurate.classifier.examples import SampledDocument, load_examples, text_digest
from gpucurate.classifier.json_lines import as_line
from gpucurate.classifier.ledger import Ledger
from gpucurate.classifier.rubric import load_rubric
from gpucurate.cli.classifier.label import label_command
from gpucurate.core.errors import GpucurateError, InputError, UserError
from tests.classifier.endpoint_server import ChatServer, chat_server, score_of

KEY = "a-key-that-stays-secret"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(endpoint_pacing, "LONGEST_DELAY", 0.02)  # seconds between two attempts


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with chat_server() as site:
        yield site


def document(number: int) -> SampledDocument:
    text = f"This is document-{number}."
    return SampledDocument(f"{number:032x}", "web", f"https://a.example/{number}", None, "en", text, 1.0, "all")


def write_sample(folder: Path, count: int) -> Path:
    path = folder / "sample.jsonl"
    path.write_bytes(b"".join(as_line(asdict(document(n))) for n in range(count)))
    return path


def label(folder: Path, site: ChatServer, *options: str, sample: int = 6) -> Result:
    """The command, on so many documents."""
    files = [str(write_sample(folder, sample)), "--labels", str(folder / "labels.jsonl")]
    asked = [*files, "--model", "judge", "--base-url", site.url, "--yes", *options]
    return CliRunner().invoke(label_command, asked, catch_exceptions=True)


def refused(result: Result) -> GpucurateError:
    assert isinstance(result.exception, GpucurateError), result.output
    return result.exception


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def labelled_once(folder: Path, count: int, repeats: int = 1, without: tuple[int, ...] = ()) -> None:
    """Every document has its own score, once for each repeat."""
    rows = lines(folder / "labels.jsonl")
    wanted = {(f"{n:032x}", repeat): score_of(n) for n in range(count) for repeat in range(repeats) if n not in without}
    assert {(row["record_id"], row["repeat"]): row["score"] for row in rows} == wanted
    assert len(rows) == len(wanted)


def test_a_label_says_where_it_comes_from(tmp_path: Path, server: ChatServer) -> None:
    result = label(tmp_path, server, "--price-prompt", "2", "--price-completion", "10")
    assert result.exit_code == 0, result.output
    labelled_once(tmp_path, 6)
    row = {row["record_id"]: row for row in lines(tmp_path / "labels.jsonl")}[f"{4:032x}"]
    assert row == {
        "record_id": f"{4:032x}",
        "score": 4,
        "judge": "judge",
        "rubric": load_rubric().digest,
        "repeat": 0,
        "answer": "It explains.\nScore: 4",
        "text_digest": text_digest(document(4).text),
        "tokens": {"prompt": 100, "completion": 10},
        "settings": row["settings"],
    }
    assert "6 requests" in result.stderr
    assert "600 + 60 tokens, cost 0.00" in result.stderr
    _, body, _, authorization = server.requests[0]
    assert authorization == f"Bearer {KEY}"
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("judge", 0.0, 400)
    examples = load_examples([tmp_path / "sample.jsonl"], [tmp_path / "labels.jsonl"])
    assert [e.score for e in examples] == [0, 1, 2, 3, 4, 5]


def test_every_trouble_that_passes_is_waited_out(tmp_path: Path, server: ChatServer) -> None:
    server.moods = {
        0: ["500", "503", "502"],
        1: ["close", "half", "close"],
        2: ["raw {]", "page", 'raw {"choices": []}', "raw []"],
        3: ["slow 6", "408", "409"],
        4: ["429|0.4", "429", f"429|{formatdate(time.time() - 5, usegmt=True)}"],
        5: ["uncounted"],
    }
    result = label(tmp_path, server, "--timeout", "2")
    assert result.exit_code == 0, (result.output, result.exception)
    labelled_once(tmp_path, 6)
    assert "16 requests sent again" in result.stderr
    assert "1 answers came without a count" in result.stderr
    first, second = server.times(4)[:2]
    assert second - first >= 0.4
    assert lines(tmp_path / "labels.unusable.jsonl") == []


def test_a_wish_to_wait_holds_for_every_request(tmp_path: Path, server: ChatServer) -> None:
    server.moods = {0: ["429|1.5"]}
    assert label(tmp_path, server, "--concurrency", "2", sample=20).exit_code == 0
    refused_at = server.times(0)[0]
    during = [when for _, _, when, _ in server.requests if refused_at + 0.7 < when < refused_at + 1.4]
    assert during == []
    labelled_once(tmp_path, 20)


def test_malformed_answers_are_kept_and_asked_again_and_never_guessed(tmp_path: Path, server: ChatServer) -> None:
    server.moods = {
        0: ["say I would give it a 3 or a 4.", "say Score: 7"],
        1: ["say Score: 2.5", "say ", "say Score: -1", "good"],
        2: ["cut"],
        3: ["say Score: 1\nBut no.\nScore: 3"],
    }
    result = label(tmp_path, server)
    assert result.exit_code == 0
    labelled_once(tmp_path, 6, without=(1,))
    assert "5 of 6 labelled, 7 unusable answers, 1 failed" in result.stderr
    unusable = lines(tmp_path / "labels.unusable.jsonl")
    told = sorted((int(row["record_id"], 16), row["attempt"], row["why"], row["failed"]) for row in unusable)
    assert told == [
        (0, 1, "no score", False),
        (0, 2, "no score", False),
        (1, 1, "no score", False),
        (1, 2, "empty", False),
        (1, 3, "no score", True),
        (2, 1, "cut off", False),
        (3, 1, "no score", False),
    ]
    assert "I would give it a 3 or a 4." in {row["answer"] for row in unusable}
    second = [body for number, body, _, _ in server.requests if number == 0][1]
    assert [m["role"] for m in second["messages"]] == ["user", "assistant", "user"]
    assert second["messages"][2]["content"] == load_rubric().reminder
    requests = len(server.requests)
    assert label(tmp_path, server).exit_code == 0
    assert len(server.requests) == requests  # what failed is not asked for again,
    assert label(tmp_path, server, "--again").exit_code == 0
    labelled_once(tmp_path, 6)  # unless wanted


def test_one_refused_request_is_its_document_and_only_refusals_are_the_settings(
    tmp_path: Path, server: ChatServer
) -> None:
    server.moods = {2: ["400"]}
    result = label(tmp_path, server, "--concurrency", "1")
    assert result.exit_code == 0
    labelled_once(tmp_path, 6, without=(2,))
    (row,) = lines(tmp_path / "labels.unusable.jsonl")
    assert (row["why"], row["failed"], row["answer"]) == ("refused", True, "400 server says 400")
    other = tmp_path / "other"
    other.mkdir()
    server.moods = {-1: ["422"] * 99}
    error = refused(label(other, server, sample=30))
    assert isinstance(error, UserError)
    assert "refused every request; the last: 422 server says 422" in str(error)
    assert lines(other / "labels.unusable.jsonl") == []


@pytest.mark.parametrize(
    ("mood", "kind", "said"),
    [
        ("401", UserError, "--key-variable"),
        ("403", UserError, "a key that may use this model"),
        ("404", UserError, "correct --base-url"),
        ("quota", UserError, "no credit left"),
        ("429|5000", InputError, "left alone for 5000 seconds"),
    ],
)
def test_what_will_not_change_ends_at_once_with_a_message(
    tmp_path: Path, server: ChatServer, mood: str, kind: type[GpucurateError], said: str
) -> None:
    server.moods = {1: [mood]}
    error = refused(label(tmp_path, server, "--concurrency", "1"))
    assert isinstance(error, kind)
    assert said in str(error)
    assert "Remedy" in str(error)
    assert KEY not in str(error)
    assert len(server.requests) == 2
    labelled_once(tmp_path, 1)  # what was answered before is kept,
    assert label(tmp_path, server).exit_code == 0
    labelled_once(tmp_path, 6)  # and the same command resumes


def test_an_endpoint_that_is_gone_is_given_up(tmp_path: Path, server: ChatServer) -> None:
    server.moods = {3: ["500"] * 50}
    error = refused(label(tmp_path, server, "--concurrency", "1"))
    assert isinstance(error, InputError)
    assert f"no answer {endpoint.ATTEMPTS} times in a row; the last time: 500 server says 500" in str(error)
    assert len(server.times(3)) == endpoint.ATTEMPTS


def test_rate_and_concurrency_are_kept(tmp_path: Path, server: ChatServer) -> None:
    server.pause = 0.1
    assert label(tmp_path, server, "--concurrency", "3", sample=12).exit_code == 0
    assert 2 <= server.most_open <= 3
    server.requests.clear()
    slow = tmp_path / "slow"
    slow.mkdir()
    assert label(slow, server, "--rate", "600").exit_code == 0
    times = sorted(when for _, _, when, _ in server.requests)
    assert times[-1] - times[0] >= 0.9 * 5 * 0.1  # ten a second


def test_repeats_and_judges_have_labels_of_their_own(tmp_path: Path, server: ChatServer) -> None:
    assert label(tmp_path, server, "--repeat", "2", "--temperature", "0.7").exit_code == 0
    labelled_once(tmp_path, 6, repeats=2)
    assert label(tmp_path, server, "--repeat", "3", "--temperature", "0.7", "--model", "second").exit_code == 0
    given = Counter((row["judge"], row["repeat"]) for row in lines(tmp_path / "labels.jsonl"))
    assert given == {(judge, repeat): 6 for judge in ("judge", "second") for repeat in range(3)}
    assert {body["model"] for _, body, _, _ in server.requests} == {"judge", "second"}


def test_what_a_label_rests_on_cannot_change_half_way(tmp_path: Path, server: ChatServer) -> None:
    assert label(tmp_path, server).exit_code == 0
    rubric = tmp_path / "mine.md"
    rubric.write_text("---\nname: mine\nversion: 1\nanswer: 'Score:'\nreminder: again\n---\nRate {text}\n")
    assert "by another rubric" in str(refused(label(tmp_path, server, "--rubric", str(rubric))))
    assert "other settings" in str(refused(label(tmp_path, server, "--temperature", "1")))
    assert "other settings" in str(refused(label(tmp_path, server, "--parameter", "seed=1")))
    result = label(tmp_path, server, "--rubric", str(rubric), "--judge", "judge by my rubric")
    assert result.exit_code == 0
    assert len(lines(tmp_path / "labels.jsonl")) == 12


def test_parameters_go_into_requests(tmp_path: Path, server: ChatServer) -> None:
    options = ["--parameter", "max_tokens=null", "--parameter", "max_completion_tokens=50", "--parameter", "user=me"]
    assert label(tmp_path, server, *options, "--max-characters", "18", sample=1).exit_code == 0
    body = server.requests[0][1]
    assert "max_tokens" not in body
    assert (body["max_completion_tokens"], body["user"]) == (50, "me")
    assert "This is document-0" in body["messages"][0]["content"]
    assert "document-0." not in body["messages"][0]["content"]


def test_nothing_is_asked_before_the_estimate_is_confirmed(tmp_path: Path, server: ChatServer) -> None:
    sample = str(write_sample(tmp_path, 6))
    asked = [sample, "--labels", str(tmp_path / "labels.jsonl"), "--model", "judge", "--base-url", server.url]
    prices = ["--price-prompt", "1000", "--price-completion", "1000"]
    shown = CliRunner().invoke(label_command, [*asked, *prices, "--dry-run"])
    size = len(load_rubric().prompt(document(0).text).encode())
    assert f"6 requests, about {6 * -(-size // 4):,} prompt tokens" in shown.stderr
    assert f"cost about {6 * (-(-size // 4) + 120) / 1000:,.2f}" in shown.stderr
    assert not (tmp_path / "labels.jsonl").exists()
    assert "--yes to begin" in str(refused(CliRunner().invoke(label_command, asked)))
    assert server.requests == []


def test_a_missing_key_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    asked = [str(write_sample(tmp_path, 1)), "--labels", str(tmp_path / "l.jsonl"), "--model", "m", "--yes"]
    assert "OPENAI_API_KEY is not set" in str(refused(CliRunner().invoke(label_command, asked)))


@pytest.mark.parametrize(
    ("options", "key", "said"),
    [
        (["--base-url", "example.org/v1"], KEY, "is none. Remedy: write https://host/v1"),
        (["--base-url", "http://"], KEY, "is none"),
        ([], "schlüssel", "no header can"),
    ],
)
def test_wrong_endpoints_are_said(
    tmp_path: Path, server: ChatServer, monkeypatch: pytest.MonkeyPatch, options: list[str], key: str, said: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    assert said in str(refused(label(tmp_path, server, *options)))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--repeat", "2", "--local", "x"], "is the same every time"),
        (["--judge", "a", "--model", "other"], "there are several"),
        (["--price-prompt", "1"], "both prices or none"),
        (["--parameter", "seed"], "no NAME=VALUE"),
        (["--parameter", "model=gpt"], "not for you to set"),
    ],
)
def test_options_that_contradict_are_said(tmp_path: Path, server: ChatServer, options: list[str], said: str) -> None:
    result = label(tmp_path, server, *options)
    assert result.exit_code == 2
    assert said in result.stderr
    assert server.requests == []


def test_a_second_writer_is_kept_out(tmp_path: Path, server: ChatServer) -> None:
    with Ledger(tmp_path / "labels.jsonl"):
        assert "being written by another command" in str(refused(label(tmp_path, server)))


@pytest.mark.parametrize("torn", [b'{"record_id": "00', b'{"answer": "caf\xc3', b"{", b"7"])
def test_a_line_cut_short_counts_as_not_written(tmp_path: Path, server: ChatServer, torn: bytes) -> None:
    assert label(tmp_path, server, sample=3).exit_code == 0
    path = tmp_path / "labels.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    with Ledger(path) as ledger:
        assert len(ledger.labels) == 3
    assert path.read_bytes() == whole
    path.write_bytes(whole[:-1])  # an editor left the last line feed out
    with Ledger(path) as ledger:
        assert len(ledger.labels) == 3
    assert path.read_bytes() == whole


def test_killed_at_any_moment_each_document_is_labelled_once(tmp_path: Path, server: ChatServer) -> None:
    count = 40
    server.pause = 0.2
    server.moods = dict(enumerate([["500"], ["close"], ["say no"], ["429|0.1"], ["half"]]))
    sample = write_sample(tmp_path, count)
    code = "import sys; from gpucurate.cli.classifier.label import label_command as c; c.main(sys.argv[1:])"
    command = [sys.executable, "-c", code, str(sample), "--labels", str(tmp_path / "labels.jsonl")]
    command += ["--model", "judge", "--base-url", server.url, "--yes", "--concurrency", "4"]
    labels = tmp_path / "labels.jsonl"
    for more in (3, 9):
        before = len(labels.read_bytes().splitlines()) if labels.exists() else 0
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=dict(os.environ))
        deadline = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < deadline:
            if labels.exists() and len(labels.read_bytes().splitlines()) >= before + more:
                process.send_signal(signal.SIGKILL)
                break
            time.sleep(0.01)
        assert process.wait() == -signal.SIGKILL
    assert 12 <= len(labels.read_bytes().splitlines()) < count
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL, timeout=60)
    labelled_once(tmp_path, count)
    again = Counter(server.answered)
    assert set(again) == set(range(count))
    assert sum(again.values()) <= count + 2 * 4  # only what was under way when killed was asked for twice
