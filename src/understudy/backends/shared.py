"""What many items have in common: sent to each machine once, while every item only says that it belongs there."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

A = TypeVar("A")


class Shared(Generic[A]):
    """A value that many items hold, such as the parents of a generation; nobody changes it.

    On one machine it is what it is. On a cluster it is put where every machine finds it when the first item that holds
    it is sent, and is dropped when nobody holds it any more.
    """

    def __init__(self, value: A) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Shared({type(self.value).__name__})"


class Message(NamedTuple):
    """An item as it is sent, without what it shares with others."""

    content: bytes
    shared: list[Shared[Any]]
    """What stands in the content by its place here."""


def make_packer(pickler: Callable[..., Any] = pickle.Pickler) -> Callable[[Any], Message]:
    """Return what packs items; *pickler* is a class like the library's that may know how to pickle more."""

    class Packer(pickler):  # type: ignore[misc,valid-type]
        def __init__(self, file: io.BytesIO) -> None:
            super().__init__(file, protocol=pickle.HIGHEST_PROTOCOL)
            self.shared: list[Shared[Any]] = []

        def persistent_id(self, part: Any) -> int | None:
            """Return the place of what is shared, the same wherever an item holds it; None for all else."""
            if not isinstance(part, Shared):
                return None
            if part not in self.shared:  # an item shares one thing or two
                self.shared.append(part)
            return self.shared.index(part)

    def pack(item: Any) -> Message:
        file = io.BytesIO()
        packer = Packer(file)
        packer.dump(item)
        return Message(file.getvalue(), packer.shared)

    return pack


class Unpacker(pickle.Unpickler):
    """Puts the shared values into an item again."""

    def __init__(self, content: bytes, values: Sequence[Any]) -> None:
        super().__init__(io.BytesIO(content))
        self.shared = [Shared(value) for value in values]

    def persistent_load(self, place: int) -> Shared[Any]:
        """Return what stands at a place."""
        return self.shared[place]


def unpack(content: bytes, values: Sequence[Any]) -> Any:
    """Return an item from its content and the values that it shares."""
    return Unpacker(content, values).load()
