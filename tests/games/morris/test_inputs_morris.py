"""Inputs as the papers' tables lay them out, column by column."""

from __future__ import annotations

import numpy as np
import pytest

from tests.conftest import random_line
from understudy.errors import UnknownName
from understudy.games import find_game
from understudy.games.batches import stacked
from understudy.games.layout import find_encoder
from understudy.games.morris.batches import image
from understudy.games.morris.inputs import ENCODERS
from understudy.games.morris.lines import LINES
from understudy.games.morris.notation import NUMBER, SYMMETRIES

GAME = find_game("morris")
TEXT = "EMOOMMOOEEOOMOOOOEEOMEOO1156"


def plain_raw(text: str) -> list[int]:
    """Return the thesis's 114 bits of a position, written from its table 5.1."""
    hands, boards = [int(digit) for digit in text[24:26]], [int(digit) for digit in text[26:28]]
    bits = [int(letter == wanted) for wanted in "MEO" for letter in text[:24]]
    for number in (*hands, *boards):
        bits += [1] * number + [0] * (9 - number)
    for hand, board in zip(hands, boards, strict=True):
        phase = 1 if hand else 3 if board <= 3 else 2
        bits += [1] * phase + [0] * (3 - phase)
    return bits


@pytest.mark.parametrize(
    "text", [TEXT, "OMOMOOOMMOMOEOOEEMMOOMEO0084", "OOOOOOOOOOOOOOOOOOOOOOOO9900", "OMEOOOOOOOEOMOOMOOOOEOOO0033"]
)
def test_the_thesis_layout_and_its_shorter_kin(text: str) -> None:
    batch, bits = stacked([GAME.read(text)]), plain_raw(text)
    assert find_encoder(find_game("morris"), "raw").encode(batch)[0].tolist() == bits
    assert find_encoder(find_game("morris"), "rawest").encode(batch)[0].tolist() == bits[:90]
    assert find_encoder(find_game("morris"), "rawer").encode(batch)[0].tolist() == bits[:90] + bits[108:]


def test_integers_are_signed() -> None:
    numbers = find_encoder(find_game("morris"), "integer").encode(stacked([GAME.read(TEXT)]))[0].tolist()
    assert numbers[:24] == [{"M": 1, "E": -1, "O": 0}[letter] for letter in TEXT[:24]]
    assert numbers[24:] == [1, 1, 5, 6, 1, 1]


def test_augmented_knows_lines_and_closing_cells() -> None:
    text = "MMOOOOOOOEEEOOOOOOOOOOOO0023".replace("0023", "7623")
    columns = find_encoder(find_game("morris"), "augmented").encode(stacked([GAME.read(text)]))[0]
    full_mine, full_theirs, empty = columns[90:106], columns[106:122], columns[122:138]
    assert full_mine.sum() == 0 and full_theirs.tolist().index(1) == 3 and full_theirs.sum() == 1
    assert empty[1] == 1 and empty[0] == 0
    assert np.flatnonzero(columns[138:162]).tolist() == [2]
    assert columns[162:].sum() == 0


@pytest.mark.parametrize("name", ENCODERS)
def test_widths_agree_with_layouts(name: str) -> None:
    encoder = find_encoder(find_game("morris"), name)
    batch = stacked([position for position, _ in random_line(GAME, 40, 3)])
    assert encoder.encode(batch).shape == (len(batch.mine), encoder.layout.width)
    assert encoder.extended([25, 25]).width == encoder.layout.width + (50 if encoder.one_hot else 2)


def test_published_widths() -> None:
    widths = {
        name: [find_encoder(find_game("morris"), name).extended([25] * parts).width for parts in range(3)]
        for name in ("raw", "rawer", "rawest")
    }
    assert widths == {"raw": [114, 139, 164], "rawer": [96, 121, 146], "rawest": [90, 115, 140]}


@pytest.mark.parametrize("name", [name for name, encoder in ENCODERS.items() if encoder.symmetric])
def test_a_symmetry_only_moves_columns(name: str) -> None:
    encoder = find_encoder(find_game("morris"), name)
    batch = stacked([position for position, _ in random_line(GAME, 60, 5)])
    layout, numbers = encoder.layout, np.array(NUMBER)
    channels = list(zip(layout.about.tolist(), layout.channels.tolist(), strict=True))
    columns = {about: place for place, about in enumerate(channels)}
    for permutation in SYMMETRIES:
        moved = np.zeros(25, int)
        moved[numbers[1:]] = numbers[permutation + 1]
        turned, _ = image(batch, np.zeros(len(batch.mine), np.int32), permutation)
        target = [columns[moved[cell], channel] for cell, channel in channels]
        assert np.array_equal(encoder.encode(turned)[:, target], encoder.encode(batch))


def test_unknown_names() -> None:
    with pytest.raises(UnknownName, match="rawest"):
        find_encoder(find_game("morris"), "rawst")
    with pytest.raises(UnknownName, match=r"encoder for chess 'raw'.*bitmap, features"):
        find_encoder(find_game("chess"), "raw")


def plain_patterns(text: str) -> list[list[list[int]]]:
    """Return what `patterns` says of each cell, for the mover and then the other, written with lists from its words."""
    lines = [[cell + 1 for cell in line] for line in LINES.tolist()]
    beside: dict[int, set[int]] = {cell: set() for cell in range(1, 25)}
    for first, middle, last in lines:
        for one, other in ((first, middle), (middle, last)):
            beside[one].add(other)
            beside[other].add(one)
    held = {letter: {cell for cell in range(1, 25) if text[cell - 1] == letter} for letter in "MEO"}
    shown = []
    for letter, other, hand in (("M", "E", int(text[24])), ("E", "M", int(text[25]))):
        own, empty = held[letter], held["O"]
        slides = hand == 0 and len(own) > 3
        lacking = [line for line in lines if len(own & {*line}) == 2 and len(empty & {*line}) == 1]
        mills = [line for line in lines if {*line} <= own]
        single = [line for line in lines if len(own & {*line}) == 1 and not held[other] & {*line}]
        in_mill = {cell for line in mills for cell in line}
        channels: list[list[int]] = [[] for _ in range(8)]
        for cell in range(1, 25):
            mine, free = cell in own, cell in empty
            closes = [line for line in lacking if cell in line]
            arrives = [line for line in closes if not slides or (own & beside[cell]) - {*line}]
            numbers = [
                len(closes) if free else 0,
                int(free and bool(arrives)),
                (len(own & beside[cell]) if slides else 1) if free else 0,
                sum(cell in line for line in mills) if mine else 0,
                int(mine and (cell not in in_mill or own <= in_mill)),
                len(empty & beside[cell]) if mine else 0,
                len(closes) if mine else 0,
                sum(cell in line for line in single) if free else 0,
            ]
            for channel, number in zip(channels, numbers, strict=True):
                channel.append(number)
        shown.append(channels)
    return shown


def test_patterns_are_what_their_words_say_in_all_phases() -> None:
    encoder = find_encoder(GAME, "patterns")
    positions = [position for seed in range(6) for position, _ in random_line(GAME, 120, seed)]
    positions.append(GAME.read("OMEOOOOOOOEOMOOMOOOOEOOO0033"))
    columns = encoder.encode(stacked(positions))
    for position, row in zip(positions, columns, strict=True):
        text = GAME.write(position)
        assert row[:114].tolist() == plain_raw(text)
        assert row[114:].reshape(2, 8, 24).tolist() == plain_patterns(text), text
