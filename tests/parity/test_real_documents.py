"""Real texts through the kernels on the host: 389 languages, books, web pages as they came, a wiki dump's XML."""

from __future__ import annotations

import bz2
from pathlib import Path
from zipfile import ZipFile

import pytest

from gpucurate.core.text_buffers import pack_texts
from gpucurate.device.cuda import CudaBackend
from tests.parity.host_engine import HostEngine, Shims
from tests.parity.test_text_verbs import agree


def archived(path: Path) -> list[bytes]:
    with ZipFile(path) as archive:
        return [archive.read(name) for name in archive.namelist() if not name.endswith("/")]


def pages(data: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted((data / "html").rglob("*.html"))[:400]]


def wiki(data: Path) -> list[bytes]:
    dump = next((data / "wiki" / "ltgwiki").glob("*.bz2"))
    return bz2.decompress(dump.read_bytes())[:8_000_000].split(b"<page>")


@pytest.mark.parametrize("name", ["udhr2", "state_union", "webtext", "pages", "wiki"])
def test_real_documents(shims: Shims, real_data: Path, name: str) -> None:
    """Bytes as they are, whatever their encoding."""
    made = {"pages": pages, "wiki": wiki}.get(name)
    texts = made(real_data) if made else archived(real_data / "books" / f"{name}.zip")
    packed = pack_texts(texts)
    engine = HostEngine(shims, order=1_000_003)
    compared = agree(CudaBackend(engine), packed)
    print(f"{name}: {packed.documents} documents, {packed.data.size} bytes, {compared} numbers equal")
    assert packed.documents > 5
    assert engine.launches["write_words"] + engine.launches["count_words"] >= 3
