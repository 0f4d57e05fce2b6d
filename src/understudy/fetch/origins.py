"""Where files come from: their publishers, a mirror that has them under our names, or a folder of copies."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

from understudy.errors import BadOption, FileError
from understudy.fetch.download import CHUNK, File, Patience, Progress, append, clear, download
from understudy.fetch.sources import Source

LONGEST_LIST = 1 << 24
"""Bytes that a publisher's list of sums may have; one of twenty years of months has 30 000."""


@dataclass(frozen=True)
class Publishers:
    """Each file comes from its own address."""

    patience: Patience

    def obtain(self, source: Source, file: File, progress: Progress) -> None:
        """Add to *file* what is missing of a source."""
        download(source.address, file, size=source.size, patience=self.patience, progress=progress)

    def list_sums(self, source: Source) -> str:
        """Return the publisher's list of sums."""
        return _download_text(source.sums, self.patience)


@dataclass(frozen=True)
class Mirror:
    """All files come from below one address, by our names."""

    address: str
    patience: Patience

    def obtain(self, source: Source, file: File, progress: Progress) -> None:
        """Add to *file* what is missing of a source."""
        download(self._below(source.name), file, size=source.size, patience=self.patience, progress=progress)

    def list_sums(self, source: Source) -> str:
        """Return the publisher's list of sums, which a mirror has beside the file."""
        return _download_text(self._below(f"{Path(source.name).parent}/{_list_name(source)}"), self.patience)

    def _below(self, name: str) -> str:
        return f"{self.address.rstrip('/')}/{quote(name)}"


@dataclass(frozen=True)
class Copies:
    """Files are copied from a folder that has them by our names, or all beside each other."""

    folder: Path

    def obtain(self, source: Source, file: File, progress: Progress) -> None:
        """Write a copy of a source to *file*."""
        path = self._find(source.name, Path(source.name).name, source.file)
        clear(file)
        done = 0
        try:
            with open(path, "rb") as copy:
                while data := copy.read(CHUNK):
                    append(file, data)
                    done += len(data)
                    progress(done, source.size)
        except FileError:
            raise
        except OSError as error:
            raise FileError(f"cannot read {str(path)!r}: {error.strerror or error}") from None

    def list_sums(self, source: Source) -> str:
        """Return the publisher's list of sums, which lies beside the file."""
        path = self._find(f"{Path(source.name).parent}/{_list_name(source)}", _list_name(source))
        try:
            return path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise FileError(f"cannot read {str(path)!r}: {error.strerror or error}") from None

    def _find(self, *names: str) -> Path:
        for name in names:
            if (self.folder / name).is_file():
                return self.folder / name
        looked = " nor ".join(repr(name) for name in dict.fromkeys(names))
        raise FileError(f"the folder {str(self.folder)!r} has no {looked}")


Origin = Publishers | Mirror | Copies


def read_origin(text: str | None, patience: Patience = Patience()) -> Origin:
    """Return the origin that a command line names: an address, a folder, or nothing for the publishers."""
    if text is None:
        return Publishers(patience)
    if "://" not in text:
        if not text or not Path(text).is_dir():
            raise BadOption(f"--from {text!r} is neither a folder nor an address that begins with http:// or https://")
        return Copies(Path(text))
    try:
        parts = urlsplit(text)
        valid = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        valid = False
    if not valid or parts.query or parts.fragment or any(letter <= " " for letter in text):
        raise BadOption(f"--from {text!r} is not an address of a mirror, such as https://example.org/understudy")
    return Mirror(text, patience)


def _list_name(source: Source) -> str:
    return Path(urlsplit(source.sums).path).name


def _download_text(address: str, patience: Patience) -> str:
    def check_length(done: int, total: int | None) -> None:
        if max(done, total or 0) > LONGEST_LIST:
            raise FileError(f"{address!r} is too long for a list of sums")

    file = io.BytesIO()
    download(address, file, size=None, patience=patience, progress=check_length)
    return file.getvalue().decode("utf-8", "replace")
