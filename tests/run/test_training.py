from __future__ import annotations

from pathlib import Path

from gpucurate.recipe.load import parse_recipe
from gpucurate.report.verify import verify
from gpucurate.run.driver import Cluster, run
from gpucurate.run.live import RunContext
from gpucurate.run.progress import PlainProgress
from gpucurate.run.state import RunState
from gpucurate.run.vocabulary import VOCABULARY
from gpucurate.store.directory import OutputDirectory
from tests.invariants.corpus import digests, recipe, write_corpus


def trained(corpus: Path, out: Path) -> tuple[RunState, list[str]]:
    """A run with a vocabulary trained on its survivors, and what verification says of it."""
    parsed = parse_recipe({**recipe(corpus / "*.jsonl"), "tokens": {"train": {"vocab_size": 400}}}, VOCABULARY)
    state = run(parsed, out, Cluster(inline=True), "cpu", PlainProgress())
    return state, verify(RunContext.of(OutputDirectory(out), parsed, "cpu"), state)


def test_the_same_texts_train_the_same_vocabulary_and_damage_is_found_and_mended(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus")
    state, problems = trained(tmp_path / "corpus", tmp_path / "out")
    assert problems == []
    assert trained(tmp_path / "corpus", tmp_path / "again")[1] == []
    whole = digests(tmp_path / "out")
    assert digests(tmp_path / "again") == whole
    assert state.tokenizer_file is not None
    file = tmp_path / "out" / state.tokenizer_file
    content = file.read_bytes()
    file.write_bytes(content[:-9])
    assert trained(tmp_path / "corpus", tmp_path / "out")[1] == []
    assert file.read_bytes() == content
    assert digests(tmp_path / "out") == whole
