"""Messages of numbered fields (protobuf), as ONNX files have them: as much as it takes to look inside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Message = Mapping[int, list[Any]]
"""The values of each field, whole numbers or pieces of the file, as often as they are there."""


def table(data: memoryview) -> Message:
    """Return the fields of a message."""
    fields = dict[int, list[Any]]()
    for number, value in split(data):
        fields.setdefault(number, []).append(value)
    return fields


def split(data: memoryview) -> Iterator[tuple[int, Any]]:
    """Yield the fields of a message with their numbers: whole numbers, or pieces of it."""
    place = 0
    while place < len(data):
        key, place = read_number(data, place)
        if key & 7 == 0:
            value, place = read_number(data, place)
            yield key >> 3, value
            continue
        if key & 7 not in (1, 2, 5):
            raise ValueError("it is no ONNX file")
        length, place = read_number(data, place) if key & 7 == 2 else (8 if key & 7 == 1 else 4, place)
        if place + length > len(data):
            raise ValueError("it is cut off")
        yield key >> 3, data[place : place + length]
        place += length


def read_number(data: memoryview, place: int) -> tuple[int, int]:
    """Return a whole number, seven bits to a byte, and where it ends."""
    number = 0
    for shift in range(0, 70, 7):
        if place >= len(data):
            raise ValueError("it is cut off")
        byte = data[place]
        number, place = number | (byte & 127) << shift, place + 1
        if byte < 128:
            return number & (1 << 64) - 1, place
    raise ValueError("it is no ONNX file")


def one(message: Message, number: int, *usual: Any) -> Any:
    """Return a field that a message has once: of two, others might take the other."""
    values = message.get(number, usual)
    if len(values) != 1:
        raise ValueError(f"it is no ONNX file: a part of it is there {len(values)} times")
    return values[0]


def piece(value: Any) -> bytes:
    """Return a piece of the file; a number in its place would stand for as many bytes."""
    return bytes(memoryview(value))


def many(message: Message, number: int) -> tuple[int, ...]:
    """Return whole numbers, of which one field may hold several."""
    numbers = list[int]()
    for value in message.get(number, ()):
        if isinstance(value, int):
            numbers.append(signed(value))
            continue
        place = 0
        while place < len(value):
            more, place = read_number(value, place)
            numbers.append(signed(more))
    return tuple(numbers)


def signed(number: int) -> int:
    """Return what the bits of a whole number mean."""
    return number - (1 << 64) if number >> 63 else number
