from __future__ import annotations

import json
import random
import statistics
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from gpucurate.classifier.sample import Draw, Frame, choose, draw_sample
from gpucurate.classifier.sample_design import allocate
from gpucurate.classifier.sample_strata import Strata
from gpucurate.cli.classifier.sample import sample_command
from gpucurate.core.errors import UserError
from gpucurate.recipe.load import parse_recipe
from gpucurate.run.driver import Cluster, run
from gpucurate.run.live import RunContext
from gpucurate.run.progress import PlainProgress
from gpucurate.run.state import RunState
from gpucurate.run.vocabulary import VOCABULARY
from gpucurate.store.directory import OutputDirectory

Corpus = tuple[RunContext, RunState]
WORDS = [
    "the",
    "of",
    "and",
    "to",
    "in",
    "that",
    "with",
    "river",
    "stone",
    "market",
    "winter",
    "letter",
    "garden",
    "music",
]


def write_pages(folder: Path, name: str, count: int, files: int, longest: int) -> None:
    chance = random.Random(name)
    rows = [
        {
            "text": f"{name} {n}\xa0" + " ".join(chance.choices(WORDS, k=chance.randint(12, longest))),
            "url": f"https://{'www.' * (n % 2)}host{min(chance.randrange(40), 9)}.example/{name}/{n}",
        }
        for n in range(count)
    ]
    folder.mkdir(parents=True)
    for number in range(files):
        lines = "".join(json.dumps(row) + "\n" for row in rows[number::files])
        (folder / f"{number}.jsonl").write_text(lines)


def curate(folder: Path, out: Path) -> Corpus:
    recipe = {
        "name": "sampled",
        "sources": [
            {"name": name, "jsonl": {"path": str(folder / name), "url_field": "url"}} for name in ("books", "pages")
        ],
        "steps": [
            "normalize",
            {"language": {"keep": None, "threshold": 0}},
            {"rules": {"gopher_quality": {"min_words": 20, "min_stop_words": 0}}},
        ],
    }
    parsed = parse_recipe(recipe, VOCABULARY)
    state = run(parsed, out, Cluster(inline=True), "cpu", PlainProgress())
    return RunContext.of(OutputDirectory(out), parsed, "cpu"), state


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("corpus")
    write_pages(folder / "books", "books", 60, 2, 700)
    write_pages(folder / "pages", "pages", 240, 3, 60)
    return curate(folder, folder / "out")


def draw(corpus: Corpus, size: int, strata: Strata, allocation: str = "root", seed: int = 0) -> Draw:
    return draw_sample(*corpus, size, strata, allocation, seed, PlainProgress())


@pytest.fixture(scope="module")
def frame(corpus: Corpus) -> list[Frame]:
    """Ids and classes of the corpus, kept so that many draws cost little."""
    kept = draw(corpus, 10**6, Strata(("source", "length"))).documents
    classes = [(d.source, d.stratum.rpartition("=")[2]) for d in kept]
    ids = np.array([list(bytes.fromhex(d.record_id)) for d in kept], np.uint8)
    table = pa.table({"source": [c[0] for c in classes], "length": [c[1] for c in classes]})
    return [(ids[:100], table[:100]), (ids[100:], table[100:])]


def test_estimates_on_the_corpus_are_unbiased(corpus: Corpus, frame: list[Frame]) -> None:
    strata = Strata(("source", "length"))
    lengths = {bytes.fromhex(d.record_id): len(d.text) for d in draw(corpus, 10**6, strata).documents}
    weighted, plain = [], []
    for seed in range(400):
        there, chosen = choose(lambda _: frame, 30, strata, "equal", seed)
        assert sum(map(len, chosen.values())) == 30
        weighted.append(sum(there[s] / len(c) * lengths[i] for s, c in chosen.items() for _, i, _, _ in c))
        plain.append(len(lengths) / 30 * sum(lengths[i] for c in chosen.values() for _, i, _, _ in c))
    error = statistics.stdev(weighted) / len(weighted) ** 0.5
    truth = sum(lengths.values())
    assert abs(statistics.mean(weighted) - truth) < 4 * error
    assert abs(statistics.mean(plain) - truth) > 20 * error  # what the weights are for


def test_every_document_of_a_stratum_is_as_likely(frame: list[Frame]) -> None:
    times: Counter[bytes] = Counter()
    for seed in range(400):
        there, chosen = choose(lambda _: frame, 60, Strata(("source", "length")), "root", seed)
        times.update(identity for places in chosen.values() for _, identity, _, _ in places)
    surprise, freedom = 0.0, 0
    for name, documents in there.items():
        inclusion = len(chosen[name]) / documents
        inside = [
            i for ids, table in frame for i, row in zip(ids, table.to_pylist(), strict=True) if names(row) == name
        ]
        if inclusion < 1:
            counted = [times[i.tobytes()] for i in inside]
            surprise += sum((n - 400 * inclusion) ** 2 for n in counted) / (400 * inclusion * (1 - inclusion))
            freedom += documents
        assert len(inside) == documents
    assert abs(surprise - freedom) < 5 * (2 * freedom) ** 0.5 + 5  # chi-square


def names(row: dict[str, str]) -> str:
    return ";".join(f"{name}={value}" for name, value in row.items())


def test_the_weights_are_those_of_the_draw(corpus: Corpus) -> None:
    strata = Strata(("source", "length"))
    everything = draw(corpus, 10**6, strata)
    assert {document.weight for document in everything.documents} == {1.0}
    drawn = draw(corpus, 30, strata, "equal")
    assert sum(d.weight for d in drawn.documents) == pytest.approx(len(everything.documents))
    for document in drawn.documents:
        assert document.weight == everything.drawn[document.stratum] / drawn.drawn[document.stratum]


def test_only_seed_and_documents_decide(corpus: Corpus, tmp_path: Path) -> None:
    write_pages(tmp_path / "books", "books", 60, 1, 700)  # the same documents in other files
    write_pages(tmp_path / "pages", "pages", 240, 5, 60)
    other = curate(tmp_path, tmp_path / "out")
    strata = Strata(("source", "language", "length", "domain"), domains=3)
    drawn = draw(corpus, 80, strata)
    again = draw(other, 80, strata)
    assert [(d.text, d.uri, d.weight, d.stratum) for d in again.documents] == [
        (d.text, d.uri, d.weight, d.stratum) for d in drawn.documents
    ]
    assert [d.record_id for d in draw(corpus, 80, strata, seed=1).documents] != [d.record_id for d in drawn.documents]
    assert [d.record_id for d in drawn.documents] == sorted(d.record_id for d in drawn.documents)


def test_what_is_drawn_is_what_the_run_kept_and_how_it_left_it(corpus: Corpus) -> None:
    documents = draw(corpus, 10**6, Strata(())).documents
    kept = corpus[1].accounts[-1].kept.documents
    assert len(documents) == kept < 300  # the rules dropped the shortest
    assert all("\xa0" not in document.text for document in documents)  # normalize took it out
    assert {document.stratum for document in documents} == {"all"}
    assert {document.language for document in documents} >= {"en"}


def test_strata_are_what_their_names_say(corpus: Corpus) -> None:
    strata = Strata(("source", "length", "domain", "score"), 2, "text_words", (40.0, 100.0))
    drawn = draw(corpus, 10**6, strata)
    hosts: Counter[str] = Counter()
    for document in drawn.documents:
        said = dict(item.split("=") for item in document.stratum.split(";"))
        length = len(document.text.encode())
        assert said["source"] == document.source
        assert int(said["length"]) <= length
        words = len(document.text.split())
        assert said["score"] == ("<40" if words < 40 else "40" if words < 100 else "100")
        hosts[said["domain"]] += 1
    assert set(hosts) == {"host9.example", "other", next(h for h in hosts if h not in ("host9.example", "other"))}
    assert drawn.there == dict(Counter(document.stratum for document in drawn.documents))


@given(
    st.dictionaries(st.text(min_size=1, max_size=3), st.integers(1, 10**9), min_size=1, max_size=30),
    st.integers(1, 10**7),
    st.sampled_from(["proportional", "root", "equal"]),
)
def test_allocations_sum_up_and_leave_no_stratum_out(sizes: dict[str, int], total: int, how: str) -> None:
    if total < len(sizes) and total < sum(sizes.values()):
        with pytest.raises(UserError, match="every stratum must give one"):
            allocate(sizes, total, how)
        return
    drawn = allocate(sizes, total, how)
    assert sum(drawn.values()) == min(total, sum(sizes.values()))
    assert all(1 <= drawn[name] <= size for name, size in sizes.items())


def test_allocations_follow_the_powers_of_sizes() -> None:
    sizes = {"a": 10_000, "b": 40_000, "c": 3}
    assert allocate(sizes, 503, "proportional") == {"a": 100, "b": 401, "c": 2}
    assert allocate(sizes, 303, "root") == {"a": 100, "b": 201, "c": 2}
    assert allocate(sizes, 303, "equal") == {"a": 150, "b": 150, "c": 3}


@pytest.mark.parametrize(
    ("strata", "said"),
    [
        ({"by": ("sourec",)}, "did you mean 'source'"),
        ({"by": ("source", "source")}, "named twice"),
        ({"by": ("score",)}, "need both"),
        ({"by": ("score",), "score": "a", "cuts": (2.0, 1.0)}, "must grow"),
        ({"by": ("score",), "score": "text_wrods"}, "did you mean 'text_words'"),
        ({"by": ("score",), "score": "language"}, "is no number"),
        ({"by": ("domain", "length", "source"), "domains": 40}, "more strata|every stratum must give one"),
    ],
)
def test_mistakes_are_said(corpus: Corpus, strata: dict[str, object], said: str) -> None:
    with pytest.raises(UserError, match=said):
        draw(corpus, 5, Strata(**strata))  # type: ignore[arg-type]


def test_the_command_writes_the_same_to_standard_output_and_to_a_file(corpus: Corpus, tmp_path: Path) -> None:
    asked = [corpus[0].root, "--size", "20", "--by", "source"]
    shown = CliRunner().invoke(sample_command, asked, catch_exceptions=False)
    written = CliRunner().invoke(sample_command, [*asked, "--out", str(tmp_path / "s.jsonl")], catch_exceptions=False)
    assert shown.exit_code == written.exit_code == 0
    assert (tmp_path / "s.jsonl").read_text() == shown.stdout
    assert len(shown.stdout.splitlines()) == 20
    assert "drawn: 20 of" in shown.stderr
    fields = {"record_id", "source", "uri", "title", "language", "text", "weight", "stratum"}
    assert set(json.loads(shown.stdout.splitlines()[0])) == fields
