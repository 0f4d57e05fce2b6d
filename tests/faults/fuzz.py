"""Whatever is read, changed at random: a reader answers or says in one sentence what is wrong, and nothing else.

`python -m tests.faults.fuzz --inputs 1000000 --seed 1` tries all readers, `--reader NAME` one of them. Input number K
of a reader is made of its seeds, the seed and K alone, so that `--reader NAME --seed S --only K` repeats it.
"""

from __future__ import annotations

import argparse
import faulthandler
import functools
import json
import mmap
import os
import random
import resource
import signal
import struct
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from understudy.errors import UnderstudyError

SLOWEST = 20.0
"""Seconds that a reader may take for an input, on a machine that has other things to do."""
LARGEST = 2 << 30
"""Bytes of memory that an input may cost."""
SHOWN = 400
"""Bytes of an input that are shown."""
BATCH = 200
"""Inputs between two looks at the clock and the memory."""

TOKENS = (
    b"nan",
    b"inf",
    b"-inf",
    b"1e400",
    b"-1",
    b"0",
    b"-0",
    b"1e-400",
    b"1.5",
    b"9" * 19,
    b"18446744073709551616",
    b"9" * 400,
    b"9" * 5000,
    b"true",
    b"null",
    b"[]",
    b"{}",
    b'""',
    b"\x00",
    b"\xff",
    b"\xc3\x28",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\r\n",
    b"\n\n",
    b"\t",
    b" ",
    b"'",
    b'"',
    b"\\",
    b"\\u0000",
    b"\\ud800",
    b"[" * 60,
    b"(" * 60,
    b"{" * 60,
    b"[" * 5000,
    b"(" * 5000,
    b'{"a":' * 3000,
    b"=",
    b",",
    b":",
    b"/",
    b"..",
    b"%s",
    b"|",
    b"<script>",
    b"`",
    "٣".encode(),
    "²".encode(),
    "é".encode(),
    "\U0001f600".encode(),
    "\u202e".encode(),
    b"1979-05-27",
    b"07:32:00",
    b"a" * 300,
    b"#",
    b";",
    b"$",
    b"*",
    b"-",
    b"+",
    b"0x10",
    b"1_0",
)
"""What somebody may write where something else is wanted."""
VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    3.5,
    -0.0,
    1e308,
    float("nan"),
    float("inf"),
    2**31,
    2**63,
    2**64,
    10**400,
    "",
    "a",
    "nan",
    "\x00",
    "\ud800",
    "é|`<b>\n",
    "x" * 300,
    [],
    {},
    [[]],
    [None],
    {"a": 1},
    [1, 2, 3],
    {"": None},
    [{}],
)
"""What JSON may hold where something else is wanted."""


class Reader(NamedTuple):
    """Something that reads what others wrote."""

    name: str
    seeds: Callable[[], Sequence[bytes]]
    """Inputs that are right."""
    read: Callable[[bytes], object]
    cost: int = 1
    """How many times as long as a quick one it takes for an input; it gets as many times fewer."""


class Fault(NamedTuple):
    """An input that a reader neither answered nor refused."""

    reader: str
    number: int
    data: bytes
    what: str

    def __str__(self) -> str:
        return f"{self.reader}, input {self.number}: {self.what}\n  {self.data[:SHOWN]!r} ({len(self.data)} bytes)"


class Slow(BaseException):
    """A reader has taken too long."""


def make_input(seeds: Sequence[bytes], reader: str, seed: int, number: int) -> bytes:
    """Return an input, the same for the same numbers: one of the seeds with some changes."""
    chance = random.Random(f"{seed} {reader} {number}")
    data = chance.choice(seeds)
    for _ in range(1 + min(int(chance.expovariate(0.7)), 8)):
        data = chance.choice(CHANGES)(data, chance, seeds)
    return data


def _flip(data: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    changed = bytearray(data or b"\0")
    for _ in range(chance.choice((1, 1, 2, 8))):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _overwrite(data: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    place = chance.randrange(len(data) + 1)
    return data[:place] + chance.randbytes(chance.choice((1, 2, 4, 8))) + data[place + 1 :]


def _cut(data: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    first, last = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return chance.choice((data[:first], data[last:], data[:first] + data[last:]))


def _double(data: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    first, last = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    return data[:last] + data[first:last] * chance.choice((1, 1, 2, 50 if last - first < 1000 else 1)) + data[last:]


def _splice(data: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    other = chance.choice(seeds)
    return data[: chance.randrange(len(data) + 1)] + other[chance.randrange(len(other) + 1) :]


def _insert(data: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    place = chance.randrange(len(data) + 1)
    return data[:place] + chance.choice(TOKENS) + data[place + chance.choice((0, 0, 1, 4)) :]


def _replace_word(data: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    """Put something else in the place of what stands between two marks."""
    marks = [place for place, letter in enumerate(data[:100_000]) if letter in b' ,:=\n"[]{}/()']
    if len(marks) < 2:
        return _insert(data, chance, seeds)
    first = chance.randrange(len(marks) - 1)
    return data[: marks[first] + 1] + chance.choice(TOKENS) + data[marks[first + 1] :]


def _change_json(data: bytes, chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    """Put something else in one place of JSON, or take that place out; what is no JSON is changed otherwise."""
    head, newline, body = data.rpartition(b"\n") if data[:1] not in b"{[" else (b"", b"", data)
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return _replace_word(data, chance, seeds)
    places = list(_places(told))
    if not places:
        return head + newline + json.dumps(chance.choice(VALUES)).encode("utf-8", "surrogatepass")
    holder, key = chance.choice(places)
    if chance.random() < 0.2:
        del holder[key]
    else:
        holder[key] = chance.choice(VALUES)
    return head + newline + json.dumps(told).encode("utf-8", "surrogatepass")


def _places(told: Any) -> Iterator[tuple[Any, Any]]:
    keys: Any = list(told) if isinstance(told, dict) else range(len(told)) if isinstance(told, list) else ()
    for key in keys:
        yield told, key
        yield from _places(told[key])


CHANGES = (
    _flip,
    _overwrite,
    _cut,
    _double,
    _splice,
    _insert,
    _insert,
    _replace_word,
    _replace_word,
    _change_json,
    _change_json,
)


def try_input(reader: Reader, number: int, data: bytes) -> Fault | None:
    """Let a reader read; return what went wrong, if anything did that is not a sentence."""
    try:
        with _in_time():
            reader.read(data)
    except UnderstudyError as error:
        try:
            str(error)
        except Exception as fault:
            return Fault(reader.name, number, data, f"its error cannot be told: {fault!r}")
    except (Exception, Slow) as error:
        place = next(
            (frame for frame in reversed(traceback.extract_tb(error.__traceback__)) if "understudy" in frame.filename),
            None,
        )
        where = (
            ""
            if place is None
            else f" at {place.filename.partition('understudy/')[2] or place.filename}:{place.lineno}"
        )
        return Fault(reader.name, number, data, f"{type(error).__name__}: {str(error)[:200]}{where}")
    return None


@contextmanager
def _in_time() -> Iterator[None]:
    """Raise in whatever takes too long."""

    def stop(number: int, frame: object) -> None:
        raise Slow(f"it took more than {SLOWEST:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SLOWEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def fuzz(
    reader: Reader, inputs: int, seed: int, *, tell: Callable[[int], None] = lambda done: None, most: int = 10
) -> list[Fault]:
    """Try *inputs* inputs; return the faults, one for each place where something went wrong, *most* of them."""
    seeds, faults = reader.seeds(), dict[str, Fault]()
    for data in seeds:
        reader.read(data)
    used = _memory()
    for number in range(inputs):
        tell(number)
        data = make_input(seeds, reader.name, seed, number)
        fault = try_input(reader, number, data)
        if number % BATCH == 0 and _memory() - used > LARGEST:
            fault = Fault(reader.name, number, data, f"the last {BATCH} inputs took {(_memory() - used) >> 20} MB")
            used = _memory()
        if fault is not None:
            faults.setdefault(fault.what.partition(" at ")[2] or fault.what, fault)
        if len(faults) >= most:
            break
    return list(faults.values())


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@functools.cache
def readers() -> dict[str, Reader]:
    """Return all readers by name; those whose packages are missing are left out by importing nothing here."""
    from tests.faults.test_fuzz import READERS

    return {reader.name: reader for reader in READERS}


def main() -> int:
    """Try readers and print a table."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000, help="inputs in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--reader", action="append", help="only this one; may be given several times")
    parser.add_argument("--only", type=int, help="only the input of this number, with the whole traceback")
    options = parser.parse_args()
    warnings.simplefilter("error")
    chosen = [reader for name, reader in readers().items() if not options.reader or name in options.reader]
    if options.only is not None:
        return _repeat(chosen, options.seed, options.only)
    return _try_all(chosen, options.inputs, options.seed)


def _repeat(chosen: Sequence[Reader], seed: int, number: int) -> int:
    for reader in chosen:
        data = make_input(reader.seeds(), reader.name, seed, number)
        print(f"{reader.name}: {data[:2000]!r}", flush=True)
        try:
            print(f"answer: {reader.read(data)!r:.200}")
        except UnderstudyError as error:
            print(f"refused: {error!s:.1000}")
    return 0


def _try_all(chosen: Sequence[Reader], inputs: int, seed: int) -> int:
    """Try each reader in a process of its own, so that a crash is a fault like any other."""
    faults, tried, whole = 0, 0, time.monotonic()
    weight = sum(1 / reader.cost for reader in chosen)
    print(f"{'reader':28} {'inputs':>9} {'a second':>9} {'faults':>7}", flush=True)
    for reader in chosen:
        share, began = max(round(inputs / reader.cost / weight), 1), time.monotonic()
        done, crash = _try_aside(reader, share, seed)
        tried, faults = tried + done.value, faults + done.faults + (crash is not None)
        speed = done.value / max(time.monotonic() - began, 1e-9)
        print(f"{reader.name:28} {done.value:9,} {speed:9,.0f} {done.faults + (crash is not None):7}", flush=True)
        if crash is not None:
            print(f"  {reader.name}, input {done.value}: {crash}", flush=True)
    print(f"{tried:,} inputs, {faults} faults, {time.monotonic() - whole:,.0f} s, seed {seed}")
    return 1 if faults else 0


class _Done(NamedTuple):
    value: int
    faults: int


def _try_aside(reader: Reader, inputs: int, seed: int) -> tuple[_Done, str | None]:
    shared = mmap.mmap(-1, 16)
    if (child := os.fork()) == 0:
        os._exit(_try_here(reader, inputs, seed, shared))
    _, status = os.waitpid(child, 0)
    value, faults = struct.unpack("qq", shared[:16])
    crash = (
        None
        if os.waitstatus_to_exitcode(status) == 0
        else f"the process ended with {os.waitstatus_to_exitcode(status)}"
    )
    return _Done(value, faults), crash


def _try_here(reader: Reader, inputs: int, seed: int, shared: mmap.mmap) -> int:
    faulthandler.enable()
    last = [time.monotonic()]

    def tell(done: int) -> None:
        shared[:8] = struct.pack("q", done + 1)
        if done % BATCH == 0:
            faulthandler.dump_traceback_later(30 * SLOWEST, exit=True)  # what no signal can end
            if sys.stderr.isatty() and time.monotonic() - last[0] > 1:
                last[0] = time.monotonic()
                print(f"\r{reader.name}: {done:,} of {inputs:,}", end="\r", file=sys.stderr, flush=True)

    try:
        faults = fuzz(reader, inputs, seed, tell=tell)
    except BaseException:
        traceback.print_exc()
        return 1
    shared[8:] = struct.pack("q", len(faults))
    for fault in faults:
        print(fault, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
