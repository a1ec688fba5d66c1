"""What was planted, written down as it is planted: the fate of every record, and texts that must vanish or stay.

The counts follow from this list alone; nothing here has seen the program that will look for them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

COPIES = ("exact_duplicates", "exact_duplicates.copy")
NEAR_COPIES = ("near_duplicates", "near_duplicates.copy")


class Ledger:
    """Entries by what should become of them."""

    def __init__(self) -> None:
        self._unread: Counter[str] = Counter()
        self._removed: dict[tuple[str, str], list[str]] = defaultdict(list)  # addresses by step and reason
        self._kept: list[str] = []
        self._alike: dict[tuple[str, str], list[list[str]]] = {COPIES: [], NEAR_COPIES: []}
        self._gone: list[str] = []
        self._stays: list[str] = []
        self._once: list[str] = []
        self._edited: Counter[str] = Counter()

    def no_document(self, reason: str) -> None:
        """A record that reading drops or puts aside."""
        self._unread[reason] += 1

    def keep(self, uri: str) -> None:
        """A document that must reach the shards."""
        self._kept.append(uri)

    def remove(self, uri: str, step: str, reason: str) -> None:
        """A document that a step must remove."""
        self._removed[step, reason].append(uri)

    def same_text(self, uris: Sequence[str]) -> None:
        """Documents of which one must reach the shards, whichever."""
        self._alike[COPIES].append(list(uris))

    def nearly_same_text(self, uris: Sequence[str]) -> None:
        """The same for documents that differ in a few words."""
        self._alike[NEAR_COPIES].append(list(uris))

    def edit(self, step: str, documents: int = 1) -> None:
        """Documents whose text a step must change."""
        self._edited[step] += documents

    def must_vanish(self, *texts: str) -> None:
        """Texts that stand in documents that are kept, and must not be left in them."""
        self._gone += texts

    def must_stay(self, *texts: str) -> None:
        """Texts that must be found in documents that are kept, spelled like this."""
        self._stays += texts

    def must_stay_once(self, text: str) -> None:
        """A text that stands in several documents and must be left in one."""
        self._once.append(text)

    def as_data(self) -> dict[str, object]:
        """The form of planted.json.  Raises ValueError if two documents have one address."""
        alike = [uris for groups in self._alike.values() for uris in groups]
        addresses = [*self._kept, *(uri for group in (*self._removed.values(), *alike) for uri in group)]
        twice = [uri for uri, count in Counter(addresses).items() if count > 1]
        if twice:
            raise ValueError(f"planted twice: {', '.join(twice)}")
        counts = [("read", reason, count) for reason, count in self._unread.items()]
        counts += [(step, reason, len(uris)) for (step, reason), uris in self._removed.items()]
        counts += [(*fate, sum(len(uris) - 1 for uris in groups)) for fate, groups in self._alike.items()]
        return {
            "counts": [{"step": step, "reason": reason, "documents": count} for step, reason, count in counts],
            "kept": self._kept,
            "removed": {reason: uris for (_, reason), uris in self._removed.items()},
            "one_of": {reason: groups for (_, reason), groups in self._alike.items()},
            "edited": self._edited,
            "texts": {"gone": self._gone, "stay": self._stays, "once": self._once},
        }
