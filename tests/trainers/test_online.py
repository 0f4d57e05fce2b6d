"""Learning while playing: the compiled loop against the same loop written plainly, and going on after a kill."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from understudy.errors import BadOption, FileError, UnknownName
from understudy.games import CompiledGame, find_game
from understudy.games.boards import SCRATCH
from understudy.games.konane.evaluators import scaled
from understudy.games.konane.inputs import encode
from understudy.judges.duels import play_duel
from understudy.search.choosers import Anyone, Minimax, Valuing, make_room
from understudy.search.evaluators import find_evaluator, value
from understudy.search.evaluators.sigmoid import forward, layers, sigmoid, weight_count
from understudy.search.memory import below
from understudy.tensors import load_arrays
from understudy.trainers.online.backpropagation import Rule, learn, make_changes
from understudy.trainers.online.lessons import Governor, Teacher, admit, ask, look_back, make_governor, make_tale
from understudy.trainers.online.pupils import OnlineOptions, Pupil, PupilOptions, check_pupil

GAME = find_game("konane", (4, 4))
TRAINING = OnlineOptions(games=400, snapshot=100, rate=0.1, momentum=0.2)


def rule(rate: float = 0.1, momentum: float = 0.2, offset: float = 0.1) -> Rule:
    return Rule(np.float32(rate), np.float32(momentum), np.float32(offset))


@pytest.mark.parametrize("sizes", [[7, 5, 1], [6, 4, 3, 1]])
def test_without_offset_a_step_is_the_gradient(sizes: list[int]) -> None:
    """PyTorch's gradient of half the squared error; Conx's 0.1 on every derivative has no loss of its own."""
    rng = np.random.default_rng(0)
    weights = rng.uniform(-1, 1, weight_count(sizes)).astype(np.float32)
    network = sigmoid(sizes, weights.copy(), representation=0)
    inputs = rng.uniform(0, 1, sizes[0]).astype(np.float32)
    tensors = [
        (torch.tensor(a.copy(), requires_grad=True), torch.tensor(b.copy(), requires_grad=True))
        for a, b in layers(sizes, weights)
    ]
    units = torch.tensor(inputs)
    for a, b in tensors:
        units = torch.sigmoid(units @ a + b)
    (0.5 * (0.8 - units) ** 2).sum().backward()  # type: ignore[no-untyped-call]
    network.units[: sizes[0]] = inputs
    said = learn(network, 0.8, rule(offset=0.0), make_changes(network))
    assert said == pytest.approx(units.item(), abs=1e-6)
    for (a, b), (now_a, now_b) in zip(tensors, layers(sizes, network.weights), strict=True):
        assert a.grad is not None and b.grad is not None
        assert np.allclose(now_a, (a - 0.1 * a.grad).detach(), atol=1e-6)
        assert np.allclose(now_b, (b - 0.1 * b.grad).detach(), atol=1e-6)


class Plain:
    """The source's procedure in plain Python and NumPy: slow, and written without looking at the kernels."""

    def __init__(self, game: CompiledGame, pupil: Pupil) -> None:
        self.game, self.sizes = game, pupil.sizes
        self.layers = [[a.astype(float), b.astype(float)] for a, b in layers(pupil.sizes, pupil.network.weights)]
        self.last = [[a * 0, b * 0] for a, b in self.layers]
        self.luck = pupil.room.random_state.copy()
        self.representation = pupil.network.representation
        self.teacher = find_evaluator("konane", "q")
        self.results: list[int] = []
        self.studied: Counter[Any] = Counter()

    def said(self, inputs: NDArray[Any]) -> list[NDArray[Any]]:
        units = [inputs]
        for a, b in self.layers:
            units.append(1 / (1 + np.exp(-(units[-1] @ a + b))))
        return units

    def learn(self, inputs: NDArray[Any], target: float, training: OnlineOptions) -> None:
        units = self.said(inputs)
        error = (target - units[-1]) * (units[-1] * (1 - units[-1]) + training.offset)
        changes = []
        for place in reversed(range(len(self.layers))):
            changes.append((place, np.outer(units[place], error), error))
            blame = self.layers[place][0] @ error
            error = blame * (units[place] * (1 - units[place]) + training.offset)
        for place, outer, bias in changes:
            for kind, change in enumerate((outer, bias)):
                self.last[place][kind] = training.rate * change + training.momentum * self.last[place][kind]
                self.layers[place][kind] = self.layers[place][kind] + self.last[place][kind]

    def board(self, position: Any, move: int) -> NDArray[np.float32]:
        out = np.zeros(self.sizes[0], np.float32)
        encode(self.representation, self.game.play(position, move), 1, np.zeros(SCRATCH, np.int32), out)
        return out

    def best(self, values: list[float]) -> int:
        best, equals = 0, 1
        for place in range(1, len(values)):
            if values[place] > values[best]:
                best, equals = place, 1
            elif values[place] == values[best]:
                equals += 1
                best = place if below(self.luck, equals) == 0 else best
        return best

    def target(self, position: Any) -> float:
        if not self.game.moves(position):
            return 1.0
        return float(scaled(self.teacher, -value(self.teacher, position, False)))

    def play(self, number: int, training: OnlineOptions) -> None:
        position = self.game.start()
        while moves := self.game.moves(position):
            if position.ply % 2 == number % 2:  # type: ignore[attr-defined]
                boards = [self.board(position, move) for move in moves]
                place = self.best([float(self.said(board)[-1][0]) for board in boards])
                self.studied[position] += 1
                often = 0 < training.governor < self.studied[position]
                for board, move in zip(boards, [] if often else moves, strict=not often):
                    self.learn(board, self.target(self.game.play(position, move)), training)
            else:
                place = below(self.luck, len(moves))
            position = self.game.play(position, moves[place])
        self.results.append(int(position.ply % 2 != number % 2))  # type: ignore[attr-defined]


@pytest.mark.parametrize("representation", ["A", "A_signed", "B", "C", "D"])
def test_the_kernel_does_what_the_source_describes(representation: str) -> None:
    pupil = Pupil(GAME, PupilOptions(representation=representation, hidden=(6,)), TRAINING)
    plain = Plain(GAME, pupil)
    for number in range(60):
        plain.play(number, TRAINING)
    pupil.learn_until(60)
    assert pupil.progress.results[:60].tolist() == plain.results
    for (a, b), (now_a, now_b) in zip(plain.layers, layers(pupil.sizes, pupil.network.weights), strict=True):
        assert np.allclose(a, now_a, atol=2e-4) and np.allclose(b, now_b, atol=2e-4)


def test_a_governor_limits_how_often_a_position_is_learned_from() -> None:
    """Against the plain loop with a counter of all positions; without it the openings alone would come ten times."""
    limited = replace(TRAINING, governor=3)
    pupil = Pupil(GAME, PupilOptions(hidden=(6,)), limited)
    plain = Plain(GAME, pupil)
    for number in range(60):
        plain.play(number, limited)
    pupil.learn_until(60)
    assert pupil.progress.results[:60].tolist() == plain.results
    assert max(plain.studied.values()) > 9 and pupil.governor.counts.max() == 3
    for (a, b), (now_a, now_b) in zip(plain.layers, layers(pupil.sizes, pupil.network.weights), strict=True):
        assert np.allclose(a, now_a, atol=2e-4) and np.allclose(b, now_b, atol=2e-4)


def test_positions_that_share_a_slot_of_a_governor() -> None:
    """Whoever comes often keeps the slot, whoever comes once passes, and nobody is refused before his time."""
    one, other = GAME.start(), GAME.play(GAME.start(), GAME.moves(GAME.start())[0])
    governor = Governor(2, np.zeros(1, np.uint64), np.zeros(1, np.int64))
    assert [admit(governor, one) for _ in range(4)] == [True, True, False, False]
    assert admit(governor, other) and governor.counts.tolist() == [1]  # a newcomer passes, and wears the other down
    assert [admit(governor, one) for _ in range(2)] == [True, False]
    assert [admit(governor, other) for _ in range(5)] == [True, True, True, True, False]
    assert all(admit(make_governor(0), one) for _ in range(9))


@pytest.mark.parametrize(
    "change", [{}, {"structure": "comparison"}, {"local": True}, {"colour": "black"},
               {"structure": "comparison", "pairing": "all"}],
)  # fmt: skip
def test_a_stopped_training_goes_on_as_if_it_had_not(tmp_path: Path, change: dict[str, Any]) -> None:
    options = replace(PupilOptions(hidden=(6,)), **change)
    whole = Pupil(GAME, options, TRAINING)
    whole.learn_until(400)
    half = Pupil(GAME, options, TRAINING)
    half.learn_until(250)
    half.save(tmp_path / "x.safetensors", "name")
    again = Pupil(GAME, options, TRAINING)
    assert again.resume(tmp_path / "x.safetensors", "name")
    again.learn_until(400)
    assert np.array_equal(whole.network.weights, again.network.weights)
    assert np.array_equal(whole.progress.results, again.progress.results)
    assert np.array_equal(whole.progress.best, again.progress.best)
    assert not Pupil(GAME, options, TRAINING).resume(tmp_path / "x.safetensors", "another name")


def test_a_governor_goes_on_counting_after_a_stop(tmp_path: Path) -> None:
    training = replace(TRAINING, governor=5)
    whole, half, again = (Pupil(GAME, PupilOptions(hidden=(6,)), training) for _ in range(3))
    whole.learn_until(400)
    half.learn_until(130)
    half.save(tmp_path / "x.safetensors", "name")
    assert again.resume(tmp_path / "x.safetensors", "name")
    again.learn_until(400)
    assert np.array_equal(whole.network.weights, again.network.weights)
    free = Pupil(GAME, PupilOptions(hidden=(6,)), TRAINING)
    free.learn_until(400)
    assert not np.array_equal(whole.network.weights, free.network.weights)


def test_a_falling_rate_does_not_depend_on_where_a_training_stopped() -> None:
    falling = replace(TRAINING, last_rate=0.001, method="temporal")
    one, other = (Pupil(GAME, PupilOptions(hidden=(6,), representation="D"), falling) for _ in range(2))
    one.learn_until(400)
    for until in (30, 130, 299, 400):
        other.learn_until(until)
    assert np.array_equal(one.network.weights, other.network.weights)


def test_targets_are_shares_of_movable_stones() -> None:
    game = find_game("konane", (6, 6))
    position = game.start()
    rng = np.random.default_rng(4)
    for _ in range(12):
        position = game.play(position, game.moves(position)[rng.integers(len(game.moves(position)))])
    room = make_room(game.most_moves, rng)
    width = ask(Teacher(find_evaluator("konane", "q"), 1), position, room)
    for place, move in enumerate(game.moves(position)[:width]):
        after = game.play(position, move)
        theirs = len({game.parts(one)[0] for one in game.moves(after)})
        passed = game.read(game.write(after)[:-1] + "BW"[after.ply % 2 == 0])  # type: ignore[attr-defined]
        mine = len({game.parts(one)[0] for one in game.moves(passed)})
        expected = 1.0 if theirs == 0 else mine / (mine + theirs)
        assert room.values[place] == pytest.approx(expected)


def test_deeper_targets_are_minimax_of_shares() -> None:
    """The value after a move is the worst that the reply can make of it."""
    game, rng = find_game("konane", (6, 6)), np.random.default_rng(1)
    position = game.start()
    for _ in range(10):
        position = game.play(position, game.moves(position)[rng.integers(len(game.moves(position)))])
    room, teacher = make_room(game.most_moves, rng), find_evaluator("konane", "q")
    ask(Teacher(teacher, 2), position, room)
    deep = room.values.copy()
    for place, move in enumerate(game.moves(position)):
        after = game.play(position, move)
        worst = 1.0
        for reply in game.moves(after):
            end = game.play(after, reply)
            worst = min(worst, scaled(teacher, value(teacher, end, True)) if game.moves(end) else 0.0)
        assert deep[place] == pytest.approx(worst)


def test_the_best_hundred_games_are_kept() -> None:
    pupil = Pupil(GAME, PupilOptions(), TRAINING)
    pupil.learn_until(400)
    sums = np.convolve(pupil.progress.results.astype(int), np.ones(100, int), "valid")
    played, most, when = pupil.progress.marks
    assert (played, most, when) == (400, sums.max(), 100 + int(sums.argmax()))


def test_a_pupil_of_one_colour_plays_that_colour() -> None:
    """As White q's pupil wins much more on 4x4 than as Black; and both differ from alternating."""
    games = replace(TRAINING, games=3000, rate=0.05, momentum=0.0)
    won = {}
    for colour in ("black", "white"):
        pupil = Pupil(GAME, PupilOptions(colour=colour), games)
        pupil.learn_until(3000)
        won[colour] = pupil.progress.results[1000:].mean()
    assert won["white"] > won["black"] + 0.1


def test_local_units_see_neighbours_alone() -> None:
    pupil = Pupil(GAME, PupilOptions(representation="C", hidden=(8,), local=True), TRAINING)
    pupil.learn_until(200)
    first = layers(pupil.sizes, pupil.network.weights)[0][0]
    assert first.shape == (32, 16)
    for source in range(32):
        for unit in range(16):
            cell = source % 16
            near = abs(cell // 4 - unit // 4) + abs(cell % 4 - unit % 4) == 1
            assert (first[source, unit] != 0) == near


def test_lambda_returns() -> None:
    tale = make_tale(5, 1)
    tale.values[:4] = (0.5, 0.6, 0.7, 0.9)
    look_back(tale, 4, 1.0, 1.0)
    assert tale.targets[:4].tolist() == [0.0, 1.0, 0.0, 1.0]  # the last mover won, every other move was the loser's
    look_back(tale, 4, 1.0, 0.0)
    assert tale.targets[:4] == pytest.approx([0.4, 0.3, 0.1, 1.0])
    look_back(tale, 4, 1.0, 0.5)
    last = 1 - (0.5 * 0.9 + 0.5 * 1.0)
    assert tale.targets[2] == pytest.approx(last)
    tale.explored[2] = True  # a random move says nothing of the board before it; the best move's opinion does
    look_back(tale, 4, 1.0, 0.5)
    assert tale.targets[1] == pytest.approx(1 - 0.7)


def test_temporal_differences_learn_to_beat_random_play() -> None:
    training = OnlineOptions(method="temporal", games=4000, snapshot=1000, rate=0.2, momentum=0.0, offset=0.0)
    game = find_game("konane", (6, 6))
    pupil = Pupil(game, PupilOptions(representation="D", hidden=(16,)), training)
    before = play_duel(game, pupil.student, Anyone(), games=600, seed=1, name="x").won()
    pupil.learn_until(4000)
    after = play_duel(game, pupil.student, Anyone(), games=600, seed=1, name="x").won()
    assert after.low > 0.7 and after.low > before.high


def test_a_network_can_be_the_evaluator_of_a_search() -> None:
    """Depth 1 with a blind horizon is what the student does by itself."""
    pupil = Pupil(GAME, PupilOptions(), TRAINING)
    pupil.learn_until(400)
    alone = play_duel(GAME, Valuing(pupil.network), Anyone(), games=200, seed=2, name="x")
    searching = play_duel(GAME, Minimax(pupil.network, 1, 1), Anyone(), games=200, seed=2, name="x")
    assert alone == searching
    assert 0.0 < forward(pupil.network) < 1.0


@pytest.mark.parametrize(
    ("student", "training", "message"),
    [
        ({"structure": "both"}, {}, "student.structure 'both'"),
        ({"colour": "red"}, {}, "student.colour 'red'"),
        ({"representation": "X"}, {}, "representation of konane 'X'"),
        ({"hidden": (0,)}, {}, "student.hidden must be from 1"),
        ({"local": True, "representation": "B"}, {}, "has no one cell for each input"),
        ({"structure": "comparison"}, {"method": "temporal"}, "'temporal' needs structure 'single'"),
        ({"pairing": "all"}, {}, "student.pairing: a student of structure 'single' compares nothing"),
        ({"structure": "comparison", "pairing": "some"}, {}, "student.pairing 'some'"),
        ({}, {"governor": -1}, "training.governor must be from 0"),
        ({}, {"method": "temporal", "governor": 5}, "training.governor: method 'temporal' has no teacher"),
        ({}, {"method": "magic"}, "training.method 'magic'"),
        ({}, {"teacher": "random"}, "'random' cannot teach"),
        ({}, {"teacher": "searcher:evaluator=z"}, "no evaluator of konane 'z'"),
        ({}, {"opponent": "human"}, "cannot play inside a kernel"),
        ({}, {"opponent": "searcher:time=1"}, "evaluator, depth, method and ties can be chosen, not time"),
        ({}, {"rate": -1.0}, "training.rate must be from 0"),
        ({}, {"games": 0}, "training.games must be from 1"),
    ],
)
def test_bad_options(student: dict[str, Any], training: dict[str, Any], message: str) -> None:
    with pytest.raises((BadOption, UnknownName), match=message):
        check_pupil(GAME, replace(PupilOptions(), **student), replace(OnlineOptions(), **training))


def test_a_broken_file_of_weights(tmp_path: Path) -> None:
    (tmp_path / "x.safetensors").write_bytes(b"nonsense")
    with pytest.raises(FileError, match="cannot read the weights"):
        load_arrays(tmp_path / "x.safetensors")
